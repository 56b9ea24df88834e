/** [O1] [O2] The state of a bus, in as many lines as fit. */

import { mailLimit } from "../../contract/mail.ts";
import { plural } from "../../contract/plural.ts";
import type { Stats } from "../../contract/stats.ts";
import { withoutDeleted } from "../../contract/stats-text.ts";
import { limitText, usageBrief } from "../../contract/usage-text.ts";
import type { Paint } from "./paint.ts";
import { cut } from "./safe.ts";
import { textTable } from "./text-table.ts";
import { relative, span } from "./time.ts";

/** A lease that ends sooner is shown as about to lapse. */
const soonMs = 60_000;

const age = (since: string, now: string) => span(Date.parse(now) - Date.parse(since));
const amount = (count: number) => (count >= mailLimit ? `${mailLimit}+` : String(count));

function hoursLine({ hours, hoursReduced }: Stats, paint: Paint): string {
  const sum = (what: "done" | "failed" | "cancelled") => hours.reduce((all, hour) => all + hour[what], 0);
  const failed = sum("failed");
  const text = `${failed} failed`;
  return `${paint.bold("ended")}    in the last ${plural(hours.length, "hour")}: ${sum("done")} done, ${failed ? paint.red(text) : paint.dim(text)}, ${sum("cancelled")} cancelled${hoursReduced ? paint.dim(` (${withoutDeleted})`) : ""}`;
}

/** [A11] Left out if nothing reports its usage. */
function todayLine({ costs: { today, limit, held } }: Stats, paint: Paint): string[] {
  const most = limitText(limit);
  if (most === null && today.tokens === 0 && today.costUsd === null) return [];
  const stop = held ? paint.yellow(" (reached: nothing starts)") : "";
  return [
    `${paint.bold("today")}    ${usageBrief(today)}${most === null ? "" : ` of ${most}`}${stop}${paint.dim(" (UTC)")}`,
  ];
}

/** A hub of an earlier version does not say it. */
const nobody = { names: 0, waiting: 0 };
const unusedText = ({ names, waiting }: Stats["mail"]["unused"] = nobody, paint: Paint) =>
  waiting
    ? `, ${paint.yellow(`${waiting} in ${names} ${names === 1 ? "topic or unused name" : "topics or unused names"}`)}`
    : "";

function summaryLines(stats: Stats, paint: Paint): string[] {
  const { agents, threads, mail, tasks, rates } = stats;
  const some = (count: number, text: string, colour = paint.yellow) =>
    count ? colour(text) : paint.dim(text);
  return [
    `${paint.bold("agents")}   ${agents.live} live of ${agents.known}, ${agents.waiting} waiting`,
    `${paint.bold("threads")}  ${threads.pending} pending, ${threads.claimed + threads.inProgress} in work, ${some(threads.blocked, `${threads.blocked} blocked`)}`,
    `${paint.bold("mail")}     ${mail.waiting} waiting${mail.oldest ? `, the oldest for ${age(mail.oldest.createdAt, stats.at)} (${cut(mail.oldest.agent, 30)})` : ""}${unusedText(mail.unused, paint)}, ${some(stats.deadLetters, plural(stats.deadLetters, "dead letter"), paint.red)}, ${some(stats.unreadEntries, `${stats.unreadEntries} unread by the person`)}`,
    `${paint.bold("tasks")}    ${tasks.running} running, ${tasks.waiting} released, ${tasks.queued} queued`,
    ...todayLine(stats, paint),
    hoursLine(stats, paint),
    `${paint.bold("traffic")}  in the last minute: ${rates.sent} sent, ${rates.claimed} claimed, ${rates.ended} ended, ${plural(rates.tasksFinished, "task")} finished, ${plural(rates.events, "event")}`,
  ];
}

function tables(
  { at, queues, unused = [], leases, subAgents, waiters }: Stats,
  paint: Paint,
  width: number,
): string[][] {
  const found: string[][] = [];
  const add = (head: string[], rows: string[][]) => {
    if (rows.length) found.push(textTable(head, rows, paint.dim).split("\n"));
  };
  const names = 28;
  const rest = Math.max(20, width - names - 34);
  add(
    ["SUB-AGENT", "FOR", "SINCE", "USED", "LAST LINE"],
    subAgents.map((each) => [
      cut(each.name, names),
      cut(each.parent, 16),
      each.startedAt === null ? "" : age(each.startedAt, at),
      each.usageTotal === null ? "–" : usageBrief(each.usageTotal),
      cut(each.lastLine ?? "", rest),
    ]),
  );
  add(
    ["LEASE", "HOLDER", "ENDS", "SUBJECT"],
    leases.map((each) => {
      const soon = Date.parse(each.expiresAt) - Date.parse(at) < soonMs;
      const ends = relative(each.expiresAt, Date.parse(at));
      return [
        each.threadId,
        cut(each.agent, names),
        each.lapsed ? paint.red(`lapsed ${ends}`) : soon ? paint.yellow(ends) : ends,
        cut(each.subject, rest),
      ];
    }),
  );
  add(
    ["QUEUE", "MAIL", "PENDING", "OLDEST"],
    queues.map((each) => [
      `${each.live ? paint.green("●") : paint.dim("○")} ${cut(each.name, names)}`,
      amount(each.mail),
      String(each.pending),
      each.oldestAt === null ? "" : age(each.oldestAt, at),
    ]),
  );
  add(
    ["TOPIC OR UNUSED NAME", "MAIL", "OLDEST"],
    unused.map((each) => [cut(each.name, names), amount(each.mail), age(each.oldestAt, at)]),
  );
  if (waiters.length) found.push([`${paint.dim("WAITING")}  ${cut(waiters.join(", "), width - 10)}`]);
  return found;
}

/** If there are more rows than fit, each table loses its last ones. */
export function statsText(stats: Stats, paint: Paint, { width = 100, rows = Infinity } = {}): string {
  const head = summaryLines(stats, paint);
  const blocks = tables(stats, paint, width);
  let left = rows - head.length;
  const lines = [...head];
  blocks.forEach((block, at) => {
    const share = Math.max(3, Math.floor(left / (blocks.length - at)));
    if (left < 3) return;
    const shown = block.slice(0, Math.min(block.length, share - 1));
    lines.push("", ...shown);
    left -= shown.length + 1;
  });
  return lines.join("\n");
}
