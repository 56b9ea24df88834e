/** The queue for people. */

import type { OutputOf } from "../../contract/operations/index.ts";
import { blank, call, field, ownCall, phrase, type Text } from "../../contract/phrase.ts";
import { plural } from "../../contract/plural.ts";
import type { Review } from "../../contract/review.ts";
import type { TaskInQueue } from "../../contract/task.ts";
import { excessOver, type Held, type Reported, raising } from "../../contract/usage.ts";
import { budgetText, heldText, reportsText, usageBrief, usageText } from "../../contract/usage-text.ts";
import { failureText } from "./failure.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { recipientText, unknownLines } from "./recipient.ts";
import { cut, inLine, quoted, safe, setIn } from "./safe.ts";
import { textTable } from "./text-table.ts";
import { relative, span } from "./time.ts";
import { transcriptText } from "./transcript.ts";
import { beginsText, diffText, mergeText, othersText, worktreeText } from "./worktree.ts";

function taskLine(task: TaskInQueue, paint: Paint, { saysParent = false, isHeld = false } = {}): string {
  const { startedAt, finishedAt, error } = task;
  const facts: string[] = saysParent ? [`for ${task.parent}`] : [];
  if (task.status === "waiting")
    facts.push(
      isHeld
        ? "waiting: the daily limit is reached"
        : task.attempt
          ? `will be retried: ${cut(error ?? "", 80)}`
          : "waiting to start",
    );
  if (task.after.length && !finishedAt) facts.push(`after ${task.after.join(", ")}`);
  if (task.status === "running") facts.push(`started ${relative(startedAt!)}`);
  if (task.status === "running" && task.attempt > 1) facts.push(`attempt ${task.attempt}`);
  if (finishedAt && !task.success)
    facts.push(`${task.reason === "cancelled" ? "" : "failed: "}${cut(error ?? "", 80)}`);
  if (finishedAt && startedAt) facts.push(`took ${span(Date.parse(finishedAt) - Date.parse(startedAt))}`);
  else if (task.success) facts.push("done");
  if (task.usageTotal) facts.push(usageBrief(task.usageTotal));
  if (excessIn(task)) facts.push(`over its budget of ${budgetText(task.budget!)}`);
  if (finishedAt && task.worktree?.state === "kept") facts.push(`on ${task.worktree.branch}`);
  const mark = finishedAt ? markOf(task, paint) : "-";
  return `  ${mark} ${paint.bold(safe(task.name))}${facts.length ? ` (${facts.map(inLine).join("; ")})` : ""} ${paint.dim(cut(task.summary, 60))}`;
}

/** A task that was cancelled or removed has neither succeeded nor failed. */
const markOf = ({ success, reason }: Pick<TaskInQueue, "success" | "reason">, paint: Paint) =>
  success ? paint.green("✓") : reason === "cancelled" ? paint.dim("–") : paint.red("✗");

const outcomeOf = ({ success, reason }: Pick<TaskInQueue, "success" | "reason">) =>
  success ? "succeeded" : reason === "cancelled" ? "cancelled" : "failed";

const excessIn = ({ budget, usageTotal }: Pick<TaskInQueue, "budget" | "usageTotal">) =>
  budget && usageTotal ? excessOver(budget, usageTotal) : undefined;

/** Whether the tasks below it have used something as well. */
const isMore = ({ usage, usageTotal }: Pick<TaskInQueue, "usage" | "usageTotal">) =>
  usageTotal !== null && JSON.stringify(usageTotal) !== JSON.stringify(usage);

/** For a task without reported usage: whether any will be reported. */
const logOf = (name: string) => phrase`${call("tasks.log", { name })} shows what it did`;

const unreported = (reports: Reported | null) =>
  reports?.tokens === "none" && reports.cost === "none" ? "not reported by its program" : null;

const heldLine = (held: Held, spell: (text: Text) => string) =>
  `${heldText(held)}; ${spell(phrase`${raising(held)} raises it`)}`;

const pushing = ownCall("tasks.push", { prompt: blank("PROMPT") });

function queueText(
  { queued, running, finished, hasMore, held }: OutputOf<"tasks.queue">,
  paint: Paint,
  spell: (text: Text) => string,
): string {
  const several = new Set([...queued, ...running, ...finished].map(({ parent }) => parent)).size > 1;
  const parts = (
    [
      ["Queued", queued],
      ["Running", running],
      ["Finished", finished],
    ] as const
  ).filter(([, tasks]) => tasks.length);
  if (!parts.length) return spell(phrase`the queue is empty; ${pushing} adds a task`);
  const line = (task: TaskInQueue) => taskLine(task, paint, { saysParent: several, isHeld: held !== null });
  const more = hasMore
    ? `\n${paint.dim(spell(phrase`  … and earlier ones: ${field("limit", blank("N"))} shows more`))}`
    : "";
  const stop = held && queued.length ? `\n\n${paint.yellow(heldLine(held, spell))}` : "";
  return parts.map(([title, tasks]) => `${title}:\n${tasks.map(line).join("\n")}`).join("\n\n") + more + stop;
}

function reviewText({ profile, maxRounds, verdict, rounds, error, findings }: Review): string {
  if (verdict === null) return `by ${profile}, at most ${plural(maxRounds, "round")}`;
  const how = { approved: "approved", sent_back: "sent back", none: `none: ${error}` }[verdict];
  const list = findings.map(({ round, file, line, text }) => {
    const place = file === null ? "" : `${file}${line === null ? "" : `:${line}`}: `;
    return `\nround ${round}: ${place}${text}`;
  });
  return `by ${profile}, ${plural(rounds, "round")}: ${how}${list.join("")}`;
}

const shownNames = 12;

/** The names that fit into a few lines, and the number of the others. */
function namesText(names: readonly string[]): string {
  const shown = names.slice(0, shownNames).map(safe).join(", ");
  return names.length > shownNames ? `${shown} and ${names.length - shownNames} more` : shown;
}

const missingText = (missing: OutputOf<"tasks.push">["missing"], paint: Paint) =>
  missing
    ? `\n${paint.yellow(`${inLine(missing.program)} is not installed: the task would fail; ${inLine(missing.hint)}`)}`
    : "";

/** Without a name the command line pushes as this one. */
const usual = "main";

/** [Q1] Whose task it is: only its parent runs it, and gets its result. */
const ownerText = (parent: string) => (parent === usual ? "" : `; its result goes to ${safe(parent)}`);

const misspelled = (unknown: OutputOf<"tasks.push">["unknown"], paint: Paint) =>
  unknownLines(unknown, paint)
    .map((line) => `\n${line}`)
    .join("");

export const taskRenders: NounRenders<"tasks"> = {
  "tasks.push": ({ task, recipient, unknown, others, trusted, missing }, paint, spell) => {
    const starts = phrase`${ownCall("tasks.run")} starts it${trusted ? "" : phrase`, once ${call("bus.trust")} has approved it`}`;
    const note = (recipient ? recipientText(recipient, paint, spell) : "") + misspelled(unknown, paint);
    return `queued ${paint.bold(safe(task.name))}${ownerText(task.parent)}; ${spell(starts)}${missingText(missing, paint)}${note}${othersText(others, paint, spell)}`;
  },
  "tasks.run": ({ released, running, waiting, held }, _paint, spell) => {
    if (!released.length && !running && !waiting) return spell(phrase`nothing is queued; ${pushing} first`);
    const names = released.length
      ? `released ${plural(released.length, "task")}: ${namesText(released)}`
      : "no new tasks to run";
    if (held) return `${names}\n${heldLine(held, spell)}`;
    return `${names}\nresults are delivered to your inbox: ${spell(phrase`${ownCall("mailbox.receive")}`)}`;
  },
  "tasks.queue": queueText,
  "tasks.show": ({ task, resume, reports }, paint) => {
    const facts: [string, string | null][] = [
      ["status", task.status === "finished" ? `finished, ${outcomeOf(task)}` : task.status],
      ["id", task.id],
      ["parent", task.parent],
      ["profile", task.profile],
      ["model", task.model],
      ["thread", task.threadId],
      ["worker", task.worker],
      ["after", task.after.join(", ") || null],
      ["attempt", task.retries ? `${task.attempt} of ${task.retries + 1}` : null],
      ["folder", task.cwd],
      ["worktree", task.worktree && worktreeText(task.worktree)],
      ["review", task.review && reviewText(task.review)],
      ["process", task.pid === null || task.finishedAt ? null : `${task.pid} on ${task.host}`],
      ["budget", task.budget && `${budgetText(task.budget)}${excessIn(task) ? ": exceeded" : ""}`],
      ["used", task.usage ? usageText(task.usage) : unreported(reports)],
      ["in all", isMore(task) ? usageText(task.usageTotal!) : null],
      ["queued", relative(task.createdAt)],
      ["started", task.startedAt && relative(task.startedAt)],
      ["finished", task.finishedAt && relative(task.finishedAt)],
      ["error", task.error],
      ["resume", resume && `cd ${task.worktree?.path ?? task.cwd} && ${resume.join(" ")}`],
    ];
    const rows = facts.flatMap(([name, value]) =>
      value === null ? [] : [`  ${paint.dim(name.padEnd(8))} ${setIn(value, 11)}`],
    );
    return [paint.bold(safe(task.name)), ...rows, "", quoted(safe(task.prompt), "  ")].join("\n");
  },
  "tasks.log": ({ entries, next, ended }, paint, spell) => {
    const text = entries.map((entry, i) => transcriptText(entry, paint, entries[i - 1])).join("");
    const more =
      ended || entries.length < 2
        ? ""
        : `\n${paint.dim(spell(phrase`more: continue with ${field("after", next)}, or ${field("follow")}`))}`;
    if (entries.length) return text + more;
    return ended ? "end of transcript" : "nothing yet";
  },
  "tasks.assign": ({ terminalId, parent, unknown, others }, paint, spell) =>
    `started ${paint.bold(safe(terminalId))}${ownerText(parent)}${misspelled(unknown, paint)}${othersText(others, paint, spell)}`,
  "tasks.handoff": ({ status, terminalId, message, messages, success, unknown }, paint, spell) => {
    if (status === "running")
      return `${safe(terminalId)} is still running; ${spell(phrase`${ownCall("tasks.handoff", { terminalId })} continues waiting`)}${misspelled(unknown, paint)}`;
    if (message === null)
      return `${safe(terminalId)} has finished; no result is waiting: it was already collected, or the task was removed; ${spell(logOf(terminalId))}`;
    if (success) return safe(message);
    const failure = failureText(messages[0]?.metadata, paint) ?? `${paint.red("failed")} ${safe(message)}`;
    return `${paint.bold(safe(terminalId))} ${failure}\n${paint.dim(spell(logOf(terminalId)))}`;
  },
  "tasks.kill": ({ killed }) => `killed ${killed.map(safe).join(", ")}`,
  "tasks.send": ({ delivered, task, ...sent }) =>
    delivered === "turn"
      ? `${safe(task.name)} resumes with it${beginsText(sent)}`
      : `put into the inbox of ${safe(task.worker ?? task.name)}`,
  "tasks.permit": ({ behavior, message }) =>
    message === undefined ? behavior : `${behavior}: ${safe(message)}`,
  "tasks.diff": diffText,
  "tasks.merge": mergeText,
  "tasks.discard": ({ branch, commit, others }, paint, spell) =>
    `discarded ${safe(branch)}${commit === null ? "" : `; it was at ${commit}`}${othersText(others, paint, spell)}`,
  "tasks.report": ({ usage }) => `used so far: ${usageText(usage)}`,
  "tasks.remove": ({ task }) => `removed ${safe(task.name)}`,
  "tasks.move": ({ task, place }) => `${safe(task.name)} is now at position ${place}`,
  "tasks.edit": ({ task: { prompt, ...task } }, paint) =>
    taskLine({ ...task, summary: prompt }, paint).trim(),
  "tasks.profiles": ({ file, default: usual, profiles }, paint) => {
    const rows = profiles.map((each) => [
      `${each.installed ? paint.green("●") : paint.dim("○")} ${inLine(each.name)}${each.name === usual ? " (default)" : ""}`,
      inLine(each.runner),
      inLine(each.model ?? ""),
      each.permission ?? "",
      each.interrupts ?? "no",
      reportsText(each.reports),
      inLine(each.installed ? (each.program ?? "") : (each.hint ?? "")),
    ]);
    const where = file === null ? "built in; .agents/agents.toml adds your own" : inLine(file);
    return `${textTable(["PROFILE", "RUNNER", "MODEL", "PERMISSION", "INTERRUPT", "USAGE", "PROGRAM"], rows, paint.dim)}\n${paint.dim(where)}`;
  },
};
