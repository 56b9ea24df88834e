/** Writes a history: a line before each call and one after it, each in one write, so that a kill leaves whole lines. */
import { closeSync, openSync, writeSync } from "node:fs";
import type { CallLine, Fields, Line, Surface } from "../check/history.ts";
import type { Client, Told } from "./surfaces.ts";

/** One clock for all processes of the machine, which nobody sets back while they run. */
export const now = () => performance.timeOrigin + performance.now();

export interface Caller {
  name: string;
  client: Client;
}

export interface Recorder {
  call(caller: Caller, op: string, input: Fields, more?: { key?: string; audit?: true }): Promise<Told>;
  note(line: Line): void;
  close(): void;
}

export function recorder(file: string, surface: Surface, name: string): Recorder {
  const opened = openSync(file, "a");
  let calls = 0;
  const note = (line: Line) => void writeSync(opened, `${JSON.stringify(line)}\n`);
  return {
    note,
    async call({ name: by, client }, op, input, { key, audit } = {}) {
      const id = `${name}-${++calls}`;
      const line: CallLine = { type: "call", id, by, surface, op, input, at: now() };
      note({ ...line, ...(key !== undefined && { key }), ...(audit && { audit }) });
      const told = await client.call(op, input, key);
      note({ type: "told", id, at: now(), ...told });
      return told;
    },
    close: () => closeSync(opened),
  };
}
