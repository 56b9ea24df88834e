/**
 * [C5] Standard input as the server reads it. Lines that are no message are answered here: the library passes over them
 * without a word. So is `initialize`, if it is the first line: the library is loaded after it (greeting.ts).
 */
import { Transform } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { type Greeting, greetingFor } from "./greeting.ts";

/** A longer line is left to the library, which has its own limit and ends the connection. */
const longestLine = 64 * 1024 * 1024;

const newline = 0x0a;
const parseError = -32_700;
const invalidRequest = -32_600;

export interface StandardInput {
  /** The messages, for the library. It gets `initialize` too. */
  stream: Transform;
  /** Resolves with the first message, or the end: with the answer that `initialize` was given here, if it was. */
  begun: Promise<Greeting | undefined>;
}

export interface Listener {
  /** Called with what is answered here. */
  answer(message: JSONRPCMessage): Promise<void>;
  /** Called with every message that goes to the library. */
  came(message: object): void;
  /** The library is told of the end once this has resolved. */
  rested(): Promise<void>;
}

export function openStandardInput({ answer, came, rested }: Listener): StandardInput {
  const begun = Promise.withResolvers<Greeting | undefined>();
  let isFirst = true;
  const first = (line: string) => {
    isFirst = false;
    const greeting = greetingFor(line);
    const answered = greeting && answer(greeting as JSONRPCMessage);
    void Promise.resolve(answered).then(() => begun.resolve(greeting));
  };
  const look = (line: string): boolean => {
    // Not for the library: before the first message it does not read yet, and what nobody reads stops the input.
    if (line.trim() === "") return false;
    const message = messageIn(line);
    if ("problem" in message) {
      void answer(message.problem);
      return false;
    }
    came(message);
    if (isFirst) first(line);
    return true;
  };
  const tooLong = () => {
    isFirst = false;
    begun.resolve(undefined);
  };
  const lines = linesOf(look, tooLong, rested);
  process.stdin.once("end", () => begun.resolve(undefined));
  process.stdin.once("close", () => {
    begun.resolve(undefined);
    lines.end();
  });
  return { stream: process.stdin.pipe(lines), begun: begun.promise };
}

/** Whole lines: those that `take` takes, and pieces of one that is too long; then the end once `rested` has resolved. */
function linesOf(
  take: (line: string) => boolean,
  tooLong: () => void,
  rested: () => Promise<void>,
): Transform {
  let rest: Buffer[] = [];
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        const line = Buffer.concat([...rest, chunk.subarray(from, end + 1)]);
        [rest, length, from] = [[], 0, end + 1];
        if (take(line.toString("utf8"))) this.push(line);
      }
      rest.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > longestLine) {
        tooLong();
        for (const piece of rest) this.push(piece);
        [rest, length] = [[], 0];
      }
      done();
    },
    flush: (done) => void rested().then(() => done()),
  });
}

function messageIn(line: string): object | { problem: JSONRPCMessage } {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (error) {
    return { problem: refusal(parseError, `this line is not JSON: ${(error as Error).message}`) };
  }
  if ((message as { jsonrpc?: unknown } | null)?.jsonrpc === "2.0") return message as object;
  const wrong = 'this line is no message of JSON-RPC: "jsonrpc" must be "2.0"';
  return { problem: refusal(invalidRequest, wrong) };
}

/** The id of the request is not known: the protocol uses null for that. */
const refusal = (code: number, message: string) =>
  ({ jsonrpc: "2.0", id: null, error: { code, message } }) as unknown as JSONRPCMessage;
