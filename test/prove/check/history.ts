/**
 * What clients of a bus have called and what they were told, as lines of JSON: one line before each call, one after it. A
 * process that was killed leaves calls without an answer. Nothing in this folder knows the product: it decides from these
 * lines alone.
 */
import { readFileSync } from "node:fs";

export type Surface = "cli" | "cli-hub" | "rest" | "mcp-stdio" | "mcp-http" | "sdk" | "sdk-hub";
export type Outcome = "ok" | "refused" | "unknown";
// biome-ignore lint/suspicious/noExplicitAny: answers have the shape of their operation
export type Fields = Record<string, any>;

/** Times are milliseconds since 1970, of one machine. */
export interface CallLine {
  type: "call";
  /** Unique: the process and a number. */
  id: string;
  /** Who called: one thread of calls, each after the answer to the one before. */
  by: string;
  surface: Surface;
  op: string;
  input: Fields;
  key?: string;
  at: number;
  /** A read of everything, after all faults are over. */
  audit?: true;
}

export interface ToldLine {
  type: "told";
  id: string;
  at: number;
  outcome: Outcome;
  /** What was answered. With `unknown`: what was seen of an answer before it was cut off. */
  value?: Fields;
  /** The code of a refusal, or why nothing is known. */
  code?: string;
}

/** A fault begins at `at` and is over at `until`, where everything works again. */
export interface FaultLine {
  type: "fault";
  nemesis: string;
  at: number;
  until: number;
  detail?: string;
}

export type Line = CallLine | ToldLine | FaultLine;

/** One call with its answer. `told` is undefined where no answer came before the end. */
export interface Op extends Omit<CallLine, "type"> {
  told?: number;
  outcome: Outcome;
  value: Fields;
  code?: string;
}

export interface History {
  ops: Op[];
  faults: FaultLine[];
}

export interface Violation {
  kind: string;
  text: string;
  /** The calls that show it. */
  witness: Op[];
}

export type Check = (history: History) => Violation[];

export function readHistory(files: readonly string[]): History {
  return historyOf(files.flatMap((file) => linesIn(readFileSync(file, "utf8"))));
}

/** What is after the last line feed was not written to the end. */
function linesIn(text: string): Line[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

export function historyOf(lines: readonly Line[]): History {
  const ops = new Map<string, Op>();
  const faults: FaultLine[] = [];
  for (const line of lines) {
    if (line.type === "fault") faults.push(line);
    else if (line.type === "call") {
      const { type, ...call } = line;
      ops.set(line.id, { ...call, outcome: "unknown", value: {} });
    }
  }
  for (const line of lines) {
    if (line.type !== "told") continue;
    const { at, outcome, value = {}, code } = line;
    Object.assign(ops.get(line.id)!, { told: at, outcome, value, code });
  }
  return { ops: [...ops.values()].sort((a, b) => a.at - b.at), faults: faults.sort((a, b) => a.at - b.at) };
}

/** When a call was over at the latest. */
export const endOf = (op: Op) => op.told ?? Number.POSITIVE_INFINITY;

/** Whether something was broken at some moment between two times. */
export const disturbed = ({ faults }: History, from: number, to: number) =>
  faults.some(({ at, until }) => at <= to && until >= from);

/** One call as a line for people. */
export function describe(op: Op, start: number): string {
  const time = (at: number | undefined) =>
    at === undefined ? "      never" : `${((at - start) / 1000).toFixed(3).padStart(9)} s`;
  const short = (value: unknown) => {
    const text = JSON.stringify(value);
    return text.length > 300 ? `${text.slice(0, 300)}…` : text;
  };
  const answer =
    op.outcome === "ok" ? short(op.value) : `${op.outcome} ${op.code ?? ""} ${short(op.value)}`.trim();
  const key = op.key === undefined ? "" : ` key=${op.key}`;
  return `${time(op.at)} … ${time(op.told)}  ${op.id} ${op.surface} ${op.op} ${short(op.input)}${key}\n${" ".repeat(27)}→ ${answer}`;
}
