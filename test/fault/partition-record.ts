/** What the people on both sides of a partition were told, and what they may be asked. */
import type { Fields } from "../support/hub.ts";
import type { Acknowledged } from "./kill-record.ts";

export type Told =
  | Acknowledged
  /** The hub said that the message is this reader's. */
  | { op: "collected"; id: string; reader: string }
  /** Another one had taken over. */
  | { op: "late"; thread: string }
  /** The hub said that it cannot now. */
  | { op: "away"; what: string; ms: number; message: string }
  | Answered
  | { op: "left" };

/** What a hub said to a question that was put to it from beside it; status 0: nothing. */
export interface Answered {
  op: "answer";
  number: number;
  status: number;
  text: string;
  ms: number;
}

/** A question to the hub, or what to do from now on: send no more, or go. */
export type Word = { number: number; route: string; body?: Fields } | "enough" | "leave";

export const isAcknowledged = (line: Told): line is Acknowledged =>
  line.op === "message" || line.op === "claim" || line.op === "end";
