/** [C5] Standard input of the server: lines that are not messages are answered here. The library skips them silently. */
import { Transform } from "node:stream";
import { type JSONRPCMessage, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** A longer line is left to the library, which has its own limit and ends the connection. */
const longestLine = 64 * 1024 * 1024;

const newline = 0x0a;

/** `refuse` is given the answer to a line that is not a message. */
export function openStandardInput(refuse: (answer: JSONRPCMessage) => void): Transform {
  let begun: Buffer[] = [];
  let length = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        const line = Buffer.concat([...begun, chunk.subarray(from, end + 1)]);
        [begun, length, from] = [[], 0, end + 1];
        const problem = problemOf(line.toString("utf8"));
        if (problem) refuse(problem);
        else this.push(line);
      }
      begun.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > longestLine) {
        for (const piece of begun) this.push(piece);
        [begun, length] = [[], 0];
      }
      done();
    },
  });
  return process.stdin.pipe(stream);
}

function problemOf(line: string): JSONRPCMessage | undefined {
  if (line.trim() === "") return undefined;
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (error) {
    return refusal(ProtocolErrorCode.ParseError, `this line is not JSON: ${(error as Error).message}`);
  }
  const version = (message as { jsonrpc?: unknown } | null)?.jsonrpc;
  return version === "2.0"
    ? undefined
    : refusal(
        ProtocolErrorCode.InvalidRequest,
        'this line is no message of JSON-RPC: "jsonrpc" must be "2.0"',
      );
}

/** The id of the request is not known: the protocol uses null for that. */
const refusal = (code: number, message: string) =>
  ({ jsonrpc: "2.0", id: null, error: { code, message } }) as unknown as JSONRPCMessage;
