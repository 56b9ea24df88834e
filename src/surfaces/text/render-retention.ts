/** How long things are kept, and what was deleted. */
import {
  type RetentionKept,
  type RetentionReason,
  type RetentionRule,
  retentionMeanings,
  retentionNouns,
} from "../../contract/retention.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { textTable } from "./text-table.ts";

const rulesText = (rules: readonly RetentionRule[], paint: Paint) =>
  textTable(
    ["KIND", "MAX DAYS", "MAX COUNT", "WHAT"],
    rules.map(({ kind, days, count }) => [
      kind,
      days === null ? "no limit" : String(days),
      count === null ? "no limit" : String(count),
      retentionMeanings[kind],
    ]),
    paint.dim,
  );

/** A limit of 0 may be a mistake: it deletes the most. */
function nothingKept(rules: readonly RetentionRule[], paint: Paint): string[] {
  const kinds = rules
    .filter(({ days, count }) => days === 0 || count === 0)
    .map(({ kind }) => retentionNouns[kind][1]);
  if (!kinds.length) return [];
  return [
    paint.yellow(
      `note: with a limit of 0 the next pass deletes all ${kinds.join(", ")} that nobody needs any more`,
    ),
  ];
}

/** Of one, and of several. */
const reasonTexts: Record<RetentionReason, readonly [string, string]> = {
  uncollected: ["its mail was not collected yet", "their mail was not collected yet"],
  unread: ["a stored reader has not read it yet", "stored readers have not read them yet"],
  entry: ["an entry of the person's inbox refers to it", "entries of the person's inbox refer to them"],
  lease: ["an agent holds it", "agents hold them"],
  open: ["its thread has not ended", "their threads have not ended"],
  unanswered: ["it is a question without an answer", "they are questions without an answer"],
  later: ["another task still needs it", "other tasks still need them"],
  unmerged: [
    "its changes were neither merged nor discarded",
    "their changes were neither merged nor discarded",
  ],
  elsewhere: ["its files are on another host", "their files are on another host"],
};

const keptText = ({ kind, count, why }: RetentionKept) => {
  const of = count === 1 ? 0 : 1;
  return `${count} ${retentionNouns[kind][of]} over the limit ${of ? "are" : "is"} kept: ${reasonTexts[why][of]}`;
};

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

export const retentionRenders: NounRenders<"retention"> = {
  "retention.show": ({ rules }, paint) => rulesText(rules, paint),
  "retention.set": ({ kind, rules }, paint) => {
    const set = rules.find((rule) => kind === "all" || rule.kind === kind);
    return [
      rulesText(rules, paint),
      ...(set?.days === null && set.count === null ? [`${kind}: no limit now, nothing is deleted`] : []),
      ...nothingKept(rules, paint),
    ].join("\n");
  },
  "retention.apply": ({ dryRun, deleted, expired, kept = [], freedBytes, warnings = [] }, paint) => {
    const all = deleted.map(({ kind, count }) => ({ count, noun: retentionNouns[kind] }));
    const counts = [...all, { count: expired, noun: ["expired message", "expired messages"] as const }]
      .filter(({ count }) => count)
      .map(({ count, noun: [one, several] }) => `${count} ${count === 1 ? one : several}`)
      .join(", ");
    const what = `${dryRun ? "would delete" : "deleted"} ${counts || "nothing"}`;
    const freed = freedBytes ? `\ngave back ${mebibytes(freedBytes)}` : "";
    return [
      `${what}${freed}`,
      ...kept.map(keptText),
      ...warnings.map((warning) => paint.dim(`note: ${warning}`)),
    ].join("\n");
  },
};
