/** Answers for people: one function an operation. Agents read `--json`. */
import type { ChannelMessage } from "../../contract/channel-message.ts";
import type { Event } from "../../contract/event.ts";
import type { Lease } from "../../contract/lease.ts";
import type { Mail } from "../../contract/mail.ts";
import type { Message } from "../../contract/message.ts";
import type { OperationName, OutputOf } from "../../contract/operations/index.ts";
import type { Recipient } from "../../contract/recipient.ts";
import type { Status, Thread } from "../../contract/thread.ts";
import { entryRenders } from "./entries.ts";
import type { Paint } from "./paint.ts";
import { failureText, taskRenders } from "./render-tasks.ts";
import { cut, oneLine, safe } from "./safe.ts";
import { searchText } from "./search.ts";
import { textTable } from "./text-table.ts";
import { relative } from "./time.ts";

type Render<N extends OperationName> = (output: OutputOf<N>, paint: Paint) => string;

function statusText(status: Status, paint: Paint): string {
  const colour = {
    pending: paint.yellow,
    claimed: paint.cyan,
    in_progress: paint.cyan,
    blocked: paint.magenta,
    done: paint.green,
    failed: paint.red,
    cancelled: paint.dim,
  }[status];
  return colour(status);
}

const leaseText = (lease: Lease | null) =>
  lease ? `${safe(lease.agentId)}, ${lease.lapsed ? "ran out" : "ends"} ${relative(lease.expiresAt)}` : "";

const headline = (thread: Thread, paint: Paint) =>
  `${paint.bold(thread.threadId)} ${statusText(thread.status, paint)}  ${cut(thread.subject, 70)}`;

function messageText(message: Message, paint: Paint): string {
  const { messageId, fromAgent, toAgent, kind, summary, body, payload, artifacts, createdAt } = message;
  const lines = [
    `${paint.dim(messageId)} ${paint.bold(safe(fromAgent))} → ${safe(toAgent)} ${paint.cyan(kind)} ${paint.dim(relative(createdAt))}`,
  ];
  const quoted = safe(body).trimEnd().split("\n");
  // A summary that was taken from the body need not be said twice.
  if (!quoted[0]!.startsWith(safe(summary).replace(/…$/, "")) || !body) lines.push(`  ${oneLine(summary)}`);
  if (body) lines.push(...quoted.map((line) => `  ${paint.dim("│")} ${line}`));
  if (Object.keys(payload).length) lines.push(`  ${paint.dim("payload")} ${safe(JSON.stringify(payload))}`);
  for (const artifact of artifacts)
    lines.push(`  ${paint.dim(oneLine(artifact.kind))} ${oneLine(artifact.path)}`);
  return lines.join("\n");
}

function recipientText(recipient: Recipient, paint: Paint): string {
  if (recipient.known) return "";
  const similar = recipient.similar.length
    ? `; did you mean ${recipient.similar.map(safe).join(" or ")}?`
    : "";
  return `\n${paint.yellow("note")} nobody has used the name "${safe(recipient.name)}" yet${similar}`;
}

export function eventText(event: Event, paint: Paint): string {
  const status = event.status ? statusText(event.status, paint) : "";
  const parts = [
    paint.dim(String(event.eventId)),
    event.eventType,
    event.threadId ?? "",
    status,
    safe(event.source),
  ];
  return `${parts.filter(Boolean).join(" ")}  ${cut(event.summary, 60)}`.trimEnd();
}

function threadRows(threads: readonly Thread[], paint: Paint): string[][] {
  return threads.map((thread) => [
    thread.threadId,
    statusText(thread.status, paint),
    thread.priority,
    cut(thread.createdBy, 20),
    cut(thread.assignedTo, 20),
    relative(thread.updatedAt),
    cut(thread.subject, 50),
  ]);
}

const threadHead = ["THREAD", "STATUS", "PRIORITY", "FROM", "TO", "UPDATED", "SUBJECT"];

/** The most common answer: where the thread stands now, and what was said. */
const said = ({ thread, message }: { thread: Thread; message: Message }, paint: Paint) =>
  `${headline(thread, paint)}\n${messageText(message, paint)}`;

/** As the channel protocol shows it: `[1] 2025-01-28 10:00:00 ci: Build passed`. Further lines are set in, or they could pass for messages. */
const channelLine = (message: ChannelMessage) =>
  `[${message.id}] ${message.createdAt.slice(0, 19).replace("T", " ")} ${safe(message.sender)}: ${safe(message.content).replace(/\n/g, "\n  ")}`;

const emptyText = (hidden: number) =>
  hidden ? `nothing ready; ${hidden} handed to a reader and not yet acked` : "no mail";

function oneMail(mail: Mail, paint: Paint): string {
  const thread = mail.threadId ? ` ${paint.dim(mail.threadId)}` : "";
  const again = mail.redelivered ? ` ${paint.yellow("again")}` : "";
  const head = `${paint.dim(String(mail.id))} ${paint.bold(safe(mail.senderId))} ${paint.cyan(mail.kind)}${thread} ${paint.dim(relative(mail.createdAt))}${again}`;
  const failed = mail.kind === "result" ? failureText(mail.metadata, paint) : undefined;
  return `${head}\n${(failed ?? safe(mail.message).trimEnd()).replace(/^/gm, "  ")}`;
}

const mailText = ({ messages, hidden }: OutputOf<"mailbox.receive">, paint: Paint) =>
  messages.length ? messages.map((mail) => oneMail(mail, paint)).join("\n\n") : emptyText(hidden);

const renders: { [N in OperationName]: Render<N> } = {
  "bus.init": ({ db, created, outer }, paint) => {
    const text = created ? `Created ${db}` : `${db} is there already; nothing was changed`;
    return outer ? `${text}\n${paint.yellow("note")} it hides the outer one at ${outer}` : text;
  },
  "bus.serve": ({ url, db }, paint) => `${paint.bold(`Restante at ${url}`)}
  your inbox ${url}/
  database   ${db}
  the API    ${url}/docs/api
             curl -X POST ${url}/api/messages -H 'content-type: application/json' -d '{"channel":"agent-1","content":"hello"}'
             inbox --db ${url} receive --agent agent-1
  Ctrl-C stops it`,
  "bus.mcp": () => "",
  "bus.supervise": ({ started }) => `started ${started} task(s); nothing is left to do`,
  ...taskRenders,
  "bus.setup": ({ file, changed, diff, written }) => {
    if (!changed) return `${file} is as it should be; nothing to do`;
    return written
      ? `${safe(diff)}Changed ${file}; restart the client to see it`
      : `${file} was left as it is`;
  },
  "bus.doctor": ({ checks }, paint) => {
    const marks = { ok: paint.green("ok  "), warn: paint.yellow("warn"), fail: paint.red("fail") };
    return checks
      .map(
        ({ name, status, detail, fix }) =>
          `${marks[status]} ${name.padEnd(12)} ${safe(detail)}${fix ? `\n     ${paint.dim("fix")} ${fix}` : ""}`,
      )
      .join("\n");
  },
  "bus.migrate": ({ from, to, tables, rows, copied, deleted, checksum }, paint) => {
    const counts = [...tables, { name: "all", rows, copied, deleted }].map((table) => [
      table.name,
      String(table.rows),
      String(table.copied),
      String(table.deleted),
    ]);
    const head = `${paint.bold(safe(to))} is the same as ${safe(from)}: checksum ${checksum.slice(0, 16)} on both sides`;
    return `${textTable(["TABLE", "ROWS", "COPIED", "DELETED"], counts, paint.dim)}\n${head}`;
  },
  "threads.send": (output, paint) => said(output, paint) + recipientText(output.recipient, paint),
  "threads.reply": (output, paint) => said(output, paint) + recipientText(output.recipient, paint),
  "mailbox.send": ({ message, recipient }, paint) =>
    messageText(message, paint) + recipientText(recipient, paint),
  "threads.update": said,
  "threads.cancel": said,
  "threads.done": (output, paint) =>
    output.already
      ? `${headline(output.thread, paint)}\nalready recorded; nothing was changed`
      : said(output, paint),
  "threads.fail": (output, paint) =>
    output.already
      ? `${headline(output.thread, paint)}\nalready recorded; nothing was changed`
      : said(output, paint),
  "threads.release": ({ thread }, paint) => headline(thread, paint),
  "threads.renew": ({ thread, lease }, paint) => `${headline(thread, paint)}\nlease ${leaseText(lease)}`,
  "threads.claim": ({ thread, lease, messages }, paint) => {
    if (!thread || !lease) return "nothing to claim";
    const head = `${headline(thread, paint)}\nlease ends ${relative(lease.expiresAt)}, attempt ${lease.attempt}, token ${lease.token}`;
    return [head, ...messages.map((message) => messageText(message, paint))].join("\n\n");
  },
  "threads.fetch": ({ threads }, paint) => {
    if (!threads.length) return "nothing to do";
    const rows = threadRows(threads, paint).map((row, i) => [
      ...row,
      threads[i]!.claimable ? paint.green("yes") : "no",
      leaseText(threads[i]!.lease),
    ]);
    return textTable([...threadHead, "CLAIMABLE", "LEASE"], rows, paint.dim);
  },
  "threads.list": ({ threads, hasMore }, paint) => {
    if (!threads.length) return "no threads";
    const more = hasMore ? `\n${paint.dim(`more: add --before ${threads.at(-1)!.threadId}`)}` : "";
    return textTable(threadHead, threadRows(threads, paint), paint.dim) + more;
  },
  "threads.show": ({ thread, lease, messages }, paint) => {
    const facts = `${safe(thread.createdBy)} → ${safe(thread.assignedTo)}, ${thread.priority}, run ${safe(thread.runId)}, task ${safe(thread.taskId)}, ${relative(thread.createdAt)}`;
    const head = [
      headline(thread, paint),
      paint.dim(facts),
      ...(lease ? [`lease ${leaseText(lease)}`] : []),
    ].join("\n");
    return [head, ...messages.map((message) => messageText(message, paint))].join("\n\n");
  },
  "threads.waitReply": ({ woke, messages, nextEventId }, paint) =>
    woke
      ? messages.map((message) => messageText(message, paint)).join("\n\n")
      : `no reply yet; go on with --after-event ${nextEventId}`,
  "events.watch": ({ woke, events, nextEventId }, paint) =>
    woke
      ? events.map((event) => eventText(event, paint)).join("\n")
      : `nothing happened; go on with --after-event ${nextEventId}`,
  "mailbox.receive": mailText,
  "mailbox.check": mailText,
  "mailbox.wait": mailText,
  "mailbox.gather": (output, paint) => {
    const mails = output.messages.map((mail) => oneMail(mail, paint));
    const silent = (word: string, names: readonly string[]) =>
      names.length ? [`${paint.yellow(word)} ${names.map(safe).join(", ")}`] : [];
    const missing = silent("missing", output.missing);
    const dead = silent("ended, and collected before:", output.dead);
    return [...mails, ...missing, ...dead].join("\n\n") || "no answers";
  },
  "mailbox.list": ({ messages, total, hidden }, paint) => {
    if (!total) return emptyText(hidden);
    const rows = messages.map((mail) => [
      String(mail.id),
      cut(mail.senderId, 24),
      mail.kind,
      relative(mail.createdAt),
      cut(mail.message, 60),
    ]);
    const more = total > messages.length ? `\n${total - messages.length} more` : "";
    return `${textTable(["ID", "FROM", "KIND", "RECEIVED", "MESSAGE"], rows, paint.dim)}${more}${hidden ? `\n${hidden} hidden` : ""}`;
  },
  "messages.send": (output, paint) =>
    output.copies
      ? `Sent to ${output.copies.map(({ channel }) => safe(channel)).join(", ")}`
      : // A topic nobody has read yet is nothing odd; a name that looks like a known one is.
        `${channelLine(output)}${output.recipient.similar.length ? recipientText(output.recipient, paint) : ""}`,
  "messages.inbox": ({ messages, count }) => [...messages.map(channelLine), `${count} message(s)`].join("\n"),
  "messages.replies": ({ messages, count }) =>
    [...messages.map(channelLine), `${count} message(s)`].join("\n"),
  "messages.ack": ({ message, already }) =>
    `${already ? "Already acknowledged" : "Acknowledged"} message ${message.id}`,
  "messages.ackAll": ({ channel, ackedCount }) => `Acknowledged ${ackedCount} message(s) on ${safe(channel)}`,
  "messages.channels": ({ channels }, paint) =>
    channels.length
      ? textTable(
          ["CHANNEL", "PENDING", "LATEST"],
          channels.map(({ channel, pending, latestId }) => [
            safe(channel),
            String(pending),
            String(latestId),
          ]),
          paint.dim,
        )
      : "no channels yet",
  "messages.pending": ({ channel, count }) => `${count} pending message(s) on ${safe(channel)}`,
  "messages.gc": ({ expired, acked }) => `Deleted ${expired} expired and ${acked} acknowledged message(s)`,
  "messages.read": ({ message, offset, total }, paint) => {
    const end = offset + message.content.length;
    const part = offset > 0 || end < total ? paint.dim(` characters ${offset}–${end} of ${total}`) : "";
    return `${message.id} ${safe(message.sender)} → ${safe(message.channel)}${part}\n${safe(message.content)}`;
  },
  "messages.status": (receipt, paint) => {
    const at = (time: string | null) => (time === null ? "never" : relative(time));
    const rows: [string, string][] = [
      ["status", receipt.status],
      ["stored", at(receipt.storedAt)],
      ["handed", receipt.handed ? `${receipt.handed} time(s), first ${at(receipt.firstHandedAt)}` : "never"],
      ["acked", receipt.ackedAt ? `${at(receipt.ackedAt)} by ${safe(receipt.ackedBy ?? "")}` : "no"],
    ];
    if (receipt.deadAt) rows.push(["dead", `${at(receipt.deadAt)}: ${safe(receipt.deadReason ?? "")}`]);
    const head = `${receipt.id} ${safe(receipt.sender)} → ${safe(receipt.channel)}`;
    return [head, ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(7))} ${value}`)].join("\n");
  },
  "deadLetters.list": ({ messages }, paint) => {
    if (!messages.length) return "no dead letters";
    const rows = messages.map((letter) => [
      String(letter.id),
      cut(letter.sender, 20),
      cut(letter.channel, 20),
      relative(letter.deadAt),
      cut(letter.deadReason, 40),
      cut(letter.content, 40),
    ]);
    return textTable(["ID", "FROM", "TO", "DIED", "REASON", "MESSAGE"], rows, paint.dim);
  },
  "deadLetters.show": ({ message }, paint) =>
    `${channelLine(message)}\n  ${paint.dim("died")} ${relative(message.deadAt)}: ${safe(message.deadReason)}`,
  "deadLetters.requeue": ({ requeued }) => `Put ${requeued} message(s) back`,
  "deadLetters.purge": ({ purged }) => `Threw ${purged} message(s) away`,
  "pools.join": ({ pool, members, changed }) =>
    `${changed ? "joined" : "already in"} ${safe(pool)}: ${members.map(safe).join(", ")}`,
  "pools.leave": ({ pool, members, changed }) =>
    `${changed ? "left" : "not in"} ${safe(pool)}${members.length ? `: ${members.map(safe).join(", ")}` : ""}`,
  "workspaces.add": ({ workspace }) =>
    `${workspace.workspaceId} ${safe(workspace.label)}
  its agent, ${safe(workspace.agent)}, speaks MCP at the hub's /mcp/${workspace.workspaceId}:
  inbox setup claude --url http://127.0.0.1:3456/mcp/${workspace.workspaceId}`,
  "workspaces.remove": ({ workspace }) => `forgot ${workspace.workspaceId} ${safe(workspace.label)}`,
  "workspaces.list": ({ workspaces }, paint) =>
    workspaces.length
      ? textTable(
          ["WORKSPACE", "AGENT", "LABEL", "PATH"],
          workspaces.map((each) => [
            each.workspaceId,
            cut(each.agent, 24),
            cut(each.label, 30),
            safe(each.path),
          ]),
          paint.dim,
        )
      : "no workspaces; inbox workspace add PATH --label TEXT makes one",
  ...entryRenders,
  "search.find": searchText,
  "tokens.create": ({ token, tokenId, agentId, scope }, paint) =>
    `${token}\n${paint.dim(`${tokenId}: ${scope} for ${safe(agentId)}. It is not shown again; use it as INBOX_TOKEN.`)}`,
  "tokens.list": ({ tokens }, paint) => {
    if (!tokens.length) return "no tokens";
    const rows = tokens.map((token) => [
      token.tokenId,
      cut(token.agentId, 30),
      token.scope,
      relative(token.createdAt),
      token.revokedAt ? `revoked ${relative(token.revokedAt)}` : "valid",
    ]);
    return textTable(["TOKEN", "AGENT", "SCOPE", "MADE", "STATE"], rows, paint.dim);
  },
  "tokens.revoke": ({ tokenId, already }) => `${tokenId} ${already ? "was revoked before" : "revoked"}`,
  "agents.list": ({ agents }, paint) => {
    if (!agents.length) return "nobody has acted here yet";
    const rows = agents.map((agent) => [
      `${agent.live ? paint.green("●") : paint.dim("○")} ${cut(agent.name, 40)}`,
      relative(agent.lastSeenAt),
      String(agent.leases),
      String(agent.pending),
      agent.pools.map(safe).join(", "),
    ]);
    return textTable(["AGENT", "SEEN", "LEASES", "PENDING", "POOLS"], rows, paint.dim);
  },
};

export function render<N extends OperationName>(name: N, output: OutputOf<N>, paint: Paint): string {
  return (renders[name] as Render<N>)(output, paint);
}
