/** [B4] Standard output of the server: which answers were written, and which of them their client has read. */
import { Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { sleep } from "../../platform/runtime.ts";
import { unreadBytes } from "../../platform/unread.ts";
import type { OpenRequests } from "./open-requests.ts";

const endsKept = 1000;

export function openStandardOutput(requests: OpenRequests) {
  /** How many bytes the system has taken, and how many were meant to be written. */
  let taken = 0;
  let meant = 0;
  let broken = false;
  /** Called when the system has taken something, or never will again. */
  let moved = () => {};
  const gone = Promise.withResolvers<void>();
  // The runtime also reports this as an event, and ends the process with a stack trace if nobody listens.
  process.stdout.on("error", () => {
    broken = true;
    moved();
    gone.resolve();
  });
  /** Where the answer to a request ends. */
  const ends = new Map<string | number, number>();
  const stream = new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      process.stdout.write(chunk, (error) => {
        if (error) broken = true;
        else taken += chunk.length;
        moved();
        done(error);
      });
    },
  });
  // Whoever reads is gone: that is told above.
  stream.on("error", () => {});

  /** A message is about to be written, as one line. */
  function writing(message: JSONRPCMessage): void {
    requests.went(message);
    meant += Buffer.byteLength(JSON.stringify(message)) + 1;
    if (!("result" in message) || message.id === undefined) return;
    ends.set(message.id, meant);
    // Who calls again has read what came before: only the last few are ever asked for.
    if (ends.size > endsKept) ends.delete(ends.keys().next().value!);
  }

  return {
    stream,
    /** Called once nothing can be written any more. */
    gone: gone.promise,
    writing,
    /** Writes a message of our own, which the library knows nothing of. Resolves when the system has taken it. */
    send(message: JSONRPCMessage): Promise<void> {
      writing(message);
      return new Promise((sent) => stream.write(`${JSON.stringify(message)}\n`, () => sent()));
    },
    /** Resolves when the system has taken everything, or nothing for that time: then nobody reads. */
    async emptied(withinMs: number): Promise<void> {
      while (taken < meant && !broken) {
        const before = taken;
        await Promise.race([new Promise<void>((taking) => (moved = taking)), sleep(withinMs)]);
        if (taken === before) return;
      }
    },
    /** The state at this moment. If the system cannot tell, what it has taken counts as read, unless the reader has gone. */
    reader(): (id: string | number) => boolean {
      const unread = unreadBytes(1) ?? (broken ? Number.POSITIVE_INFINITY : 0);
      const read = taken - unread;
      return (id) => {
        const end = ends.get(id);
        return end !== undefined && end <= read;
      };
    },
  };
}

export type StandardOutput = ReturnType<typeof openStandardOutput>;
