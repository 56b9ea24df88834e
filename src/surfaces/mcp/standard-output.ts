/** [B4] Standard output of the server: which answers were written, and which of them their client has read. */
import { Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { unreadBytes } from "../../platform/unread.ts";

const endsKept = 1000;

export function openStandardOutput() {
  /** How many bytes the system has taken, and how many were to be written. */
  let taken = 0;
  let meant = 0;
  let broken = false;
  const gone = Promise.withResolvers<void>();
  // The runtime also reports this as an event, and ends the process with a stack trace if nobody listens.
  process.stdout.on("error", () => {
    broken = true;
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
        done(error);
      });
    },
  });
  return {
    stream,
    /** Called once nothing can be written any more. */
    gone: gone.promise,
    /** A message is about to be written, as one line. */
    writing(message: JSONRPCMessage): void {
      meant += Buffer.byteLength(JSON.stringify(message)) + 1;
      if (!("result" in message) || message.id === undefined) return;
      ends.set(message.id, meant);
      // A client that calls again has read its earlier answers: only the last few are ever looked up.
      if (ends.size > endsKept) ends.delete(ends.keys().next().value!);
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
