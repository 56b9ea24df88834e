/**
 * [Y1] Applies the limits of retention in short steps. After each step, other callers have as much time as the step
 * took. It may end after any step, and the next run continues.
 */
import { expiryAfter } from "../bus/expiry.ts";
import { cutByAge, type Kept, lastRef, later, type RowPosition, skipNewest } from "../bus/retention/due.ts";
import { dueEvents, type EventCut } from "../bus/retention/events.ts";
import { dueFolders, forgetFolders } from "../bus/retention/folders.ts";
import { kindsOn, type RowKind } from "../bus/retention/kinds.ts";
import { retentionRules } from "../bus/retention/rules.ts";
import { countDue, deleteDue, deleteDueEvents, deleteDueInTopic } from "../bus/retention/step.ts";
import { dueInTopic, skipNewestOf, type TopicCut, topicsWithReaders } from "../bus/retention/topics.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import {
  type RetentionKept,
  type RetentionKind,
  type RetentionRule,
  retentionKinds,
  retentionReasons,
} from "../contract/retention.ts";
import type { EndSignal, Engine } from "../engines/engine.ts";
import { catchUpTo, type Rest } from "./search.ts";

/** The files of tasks on this machine. */
export interface TaskFiles {
  host: string;
  /** Deletes the folder of a task; false if it does not belong to this bus. */
  remove(task: number, folder: string): boolean;
}

interface Applying {
  engine: Engine;
  files: TaskFiles;
  dryRun: boolean;
  signal?: EndSignal;
}

const rest: Rest = async (step) => {
  const started = performance.now();
  const result = await step();
  await new Promise((done) => setTimeout(done, performance.now() - started));
  return result;
};

/** `inbox gc`. */
export async function retentionApply(
  engine: Engine,
  { dryRun, vacuum }: ParsedOf<"retention.apply">,
  files: TaskFiles,
  signal?: EndSignal,
): Promise<OutputOf<"retention.apply">> {
  const { expired, deleted, kept } = await applyRetention({ engine, files, dryRun, signal });
  const rewritten = vacuum && !dryRun ? ((await engine.compact?.()) ?? 0) : 0;
  const freedBytes = dryRun ? 0 : rewritten + (await reclaim(engine, signal));
  const rigid = engine.givesBack?.() === false;
  return {
    dryRun,
    deleted: retentionKinds.map((kind) => ({ kind, count: deleted[kind] })),
    expired,
    kept,
    freedBytes,
    ...(rigid && {
      warnings: [
        "this file was created by an earlier version and cannot shrink: rewrite it once with vacuum, when the bus is not busy",
      ],
    }),
  };
}

/** [Y4] Gives back space that new rows will not need soon. */
export async function reclaim(engine: Engine, signal?: EndSignal): Promise<number> {
  let freed = 0;
  while (!signal?.aborted) {
    const bytes = await rest(() => engine.write((tx) => tx.reclaim(), { repeatable: true }));
    if (!bytes) break;
    freed += bytes;
  }
  return freed;
}

/** What was deleted of a kind, and what was kept. */
interface Done {
  count: number;
  kept: Kept;
}

interface Applied {
  expired: number;
  deleted: Record<RetentionKind, number>;
  kept: RetentionKept[];
}

/** Deletes all that is due, or counts it. */
export async function applyRetention(applying: Applying): Promise<Applied> {
  const { engine } = applying;
  const rules = await engine.read(retentionRules);
  const deleted = {} as Record<RetentionKind, number>;
  const kept: RetentionKept[] = [];
  for (const rule of rules) {
    const { kind } = rule;
    const done = await applyRule(applying, rule);
    deleted[kind] = done.count;
    for (const why of retentionReasons) {
      const count = done.kept[why];
      if (count) kept.push({ kind, count, why });
    }
  }
  const now = await engine.read((tx) => tx.clock());
  const { count: expired } = await walk(applying, "expired", { at: now, ref: lastRef });
  return { expired, deleted, kept };
}

async function applyRule(applying: Applying, rule: RetentionRule): Promise<Done> {
  if (rule.kind === "events") return { count: await walkEvents(applying, rule), kept: {} };
  if (rule.kind === "topics") return { count: await walkTopics(applying, rule), kept: {} };
  const cut = await cutOf(applying, rule.kind, rule);
  if (!cut) return { count: 0, kept: {} };
  if (rule.kind === "transcripts")
    return applying.dryRun ? walk(applying, rule.kind, cut) : deleteFolders(applying, rule.kind, cut);
  // The files of a task are deleted before its row: without the row nobody would know of the files.
  if (rule.kind === "tasks" && !applying.dryRun) await deleteFolders(applying, rule.kind, cut);
  return walk(applying, rule.kind, cut);
}

function add(sum: Kept, more: Kept): void {
  for (const why of retentionReasons) if (more[why]) sum[why] = (sum[why] ?? 0) + more[why];
}

/** How far the limits of a kind reach: by age or by number, whichever is further. */
async function cutOf(
  { engine, files }: Applying,
  kind: RowKind,
  { days, count }: RetentionRule,
): Promise<RowPosition | undefined> {
  const byAge = days === null ? undefined : await engine.read((tx) => cutByAge(tx, days));
  if (count === null) return byAge;
  let place: RowPosition | undefined;
  let left = count;
  do {
    const skipped = await engine.read((tx) =>
      skipNewest(tx, kindsOn(files.host)[kind], { from: place, left }),
    );
    if (!skipped) return byAge;
    ({ place, left } = skipped);
  } while (left > 0);
  return byAge ? later(byAge, place) : place;
}

/** Goes page by page through ended rows: a read finds those that are due, and a write deletes them. */
async function walk(
  { engine, files, dryRun, signal }: Applying,
  kind: RowKind,
  cut: RowPosition,
): Promise<Done> {
  // The files of a task that is deleted are gone; those of a task whose are not, stay with it.
  const host = dryRun ? files.host : undefined;
  const kept: Kept = {};
  let count = 0;
  let after: RowPosition | undefined;
  do {
    const wanted = { cut, after, host };
    let step = await rest(() => engine.read((tx) => countDue(tx, kind, wanted)));
    if (step.count && !dryRun)
      step = await rest(() => engine.write((tx) => deleteDue(tx, kind, wanted), { repeatable: true }));
    count += step.count;
    add(kept, step.kept);
    after = step.next;
  } while (after && !signal?.aborted);
  return { count, kept };
}

/** The folders of tasks that are due. One that could not be deleted stays recorded. */
async function deleteFolders(
  { engine, files, signal }: Applying,
  kind: "tasks" | "transcripts",
  cut: RowPosition,
): Promise<Done> {
  const kept: Kept = {};
  let count = 0;
  let after: RowPosition | undefined;
  do {
    const wanted = { cut, after, host: files.host };
    const { folders, next, kept: here } = await rest(() => engine.read((tx) => dueFolders(tx, kind, wanted)));
    const gone = folders.filter(({ task_number, folder }) => files.remove(task_number, folder));
    if (gone.length) await rest(() => engine.write((tx) => forgetFolders(tx, gone), { repeatable: true }));
    count += gone.length;
    add(kept, here);
    after = next;
  } while (after && !signal?.aborted);
  return { count, kept };
}

async function walkTopics(applying: Applying, { days, count }: RetentionRule): Promise<number> {
  const { engine, dryRun, signal } = applying;
  if (days === null && count === null) return 0;
  const now = await engine.read((tx) => tx.clock());
  const before = days === null ? null : expiryAfter(now, -days * 86_400);
  let sum = 0;
  for (const channel of await engine.read(topicsWithReaders)) {
    if (signal?.aborted) break;
    const upTo = await olderThanNewest(engine, { channel, now }, count);
    const cut: TopicCut = { channel, now, before, upTo };
    let after = 0;
    for (let more = true; more && !signal?.aborted; ) {
      const due = await rest(() => engine.read((tx) => dueInTopic(tx, cut, after)));
      after = due.ids.at(-1) ?? after;
      let done = { count: due.ids.length, more: due.more };
      if (done.count && !dryRun)
        done = await rest(() => engine.write((tx) => deleteDueInTopic(tx, cut), { repeatable: true }));
      sum += done.count;
      more = done.more;
    }
  }
  return sum;
}

/** The newest message of a topic that the count does not keep; 0 if there is none. */
async function olderThanNewest(
  engine: Engine,
  topic: Pick<TopicCut, "channel" | "now">,
  kept: number | null,
): Promise<number> {
  if (kept === null) return 0;
  let found: { id: number; left: number } | undefined;
  do {
    const { id, left } = found ?? { id: undefined, left: kept };
    found = await engine.read((tx) => skipNewestOf(tx, topic, id, left));
  } while (found?.left);
  return found?.id ?? 0;
}

async function walkEvents(
  { engine, dryRun, signal }: Applying,
  { days, count: kept }: RetentionRule,
): Promise<number> {
  if (days === null && kept === null) return 0;
  const now = await engine.read((tx) => tx.clock());
  const cut: EventCut = { before: days === null ? null : expiryAfter(now, -days * 86_400), count: kept };
  let count = 0;
  let after = 0;
  for (let more = true; more && !signal?.aborted; ) {
    const due = await rest(() => engine.read((tx) => dueEvents(tx, cut, { after })));
    let done = due;
    if (due.count && !dryRun) {
      if (!(await catchUpTo(engine, due.last, rest))) break;
      const deleted = await rest(() => engine.write((tx) => deleteDueEvents(tx, cut), { repeatable: true }));
      done = { ...due, ...deleted };
    }
    count += done.count;
    more = done.more;
    if (dryRun) after = due.last;
  }
  return count;
}
