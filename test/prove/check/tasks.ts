/** Every task that was started is reported to whoever pushed it, once. */
import type { Check, Op, Violation } from "./history.ts";
import { groupBy } from "./messages.ts";

interface Reported {
  op: Op;
  id: number;
  sender: string;
  kind: string;
}

/** Results in the inboxes of those who pushed tasks, as the audit found them. */
function reportsIn(ops: readonly Op[]): Reported[] {
  return ops
    .filter((op) => op.audit && op.op === "messages.inbox")
    .flatMap((op) =>
      op.value.messages
        .filter(({ kind }: Reported) => kind === "result")
        .map(({ id, sender, kind }: Reported) => ({ op, id, sender, kind })),
    );
}

export const reportedOnce: Check = ({ ops }) => {
  const reports = groupBy(reportsIn(ops), ({ op, sender }) => `${op.input.channel} ${sender}`);
  const runs = ops.filter(({ op, outcome }) => op === "tasks.run" && outcome === "ok");
  const audits = new Map(ops.filter((op) => op.audit).map((op) => [op.input.channel as string, op]));
  return ops
    .filter(({ op, outcome }) => op === "tasks.push" && outcome !== "refused")
    .flatMap((push): Violation[] => {
      const { agent, name } = push.input;
      const found = reports.get(`${agent} ${name}`) ?? [];
      const run = runs.find(
        (one) => one.input.agent === agent && push.told !== undefined && one.at > push.told,
      );
      const audit = audits.get(agent);
      if (found.length > 1) {
        const text = `${name} was reported as ${found.map(({ id }) => `msg_${id}`).join(" and ")}`;
        return [{ kind: "task reported twice", text, witness: [push, found[0]!.op] }];
      }
      if (found.length || push.outcome !== "ok" || !run || !audit) return [];
      const text = `${name} was started, and ${agent} was not told how it ended`;
      return [{ kind: "task not reported", text, witness: [push, run, audit] }];
    });
};
