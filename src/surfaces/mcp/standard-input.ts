/** [C5] Standard input as the server reads it: lines that are no message are answered here. The library passes over them without a word. */
import { Transform } from "node:stream";
import { type JSONRPCMessage, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** A longer line is left to the library, which has a limit of its own and ends the connection. */
const longestLine = 64 * 1024 * 1024;

const newline = 0x0a;

/** `refuse` is given the answer to a line that is no message. */
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

/** Which request it was meant to be is not known: the protocol has no id for that but null. */
const refusal = (code: number, message: string) =>
  ({ jsonrpc: "2.0", id: null, error: { code, message } }) as unknown as JSONRPCMessage;
