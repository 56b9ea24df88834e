/**
 * [Q17] The connection between a supervisor and a keeper: the keeper's standard input and output. The keeper is given
 * tasks one by one, and reports for each when it keeps it and when it can take the next. The connection ends when
 * either process does; a task does not.
 */
import { InboxError } from "../contract/errors.ts";
import { call, phrase } from "../contract/phrase.ts";
import { fs } from "../platform/system.ts";

/** A task that was started, for the keeper that gets it. */
export interface Handed {
  number: number;
  token: string;
}

/** `kept`: the bus knows that it keeps the task. `over`: no process of the task is left; only its end has to be reported. */
type Word = "kept" | "over";

export interface Report {
  word: Word;
  token: string;
}

export const handedLine = ({ number, token }: Handed) => `${JSON.stringify({ number, token })}\n`;

/** The supervisor's end. */
export async function* reportsFrom(output: AsyncIterable<Uint8Array>): AsyncGenerator<Report> {
  for await (const line of linesOf(output)) {
    const [word, token] = line.split(" ");
    yield { word: word as Word, token: token! };
  }
}

/** The keeper's end: the tasks that it is given, until its supervisor has exited or no longer needs it. */
export async function* handedTasks(): AsyncGenerator<Handed> {
  for await (const line of linesOf(Bun.stdin.stream())) yield parsed(line);
}

/** It continues even if nobody reads this. */
export function report(word: Word, token: string): void {
  try {
    fs().writeSync(1, `${word} ${token}\n`);
  } catch {
    // The supervisor has died.
  }
}

function parsed(line: string): Handed {
  try {
    const { number, token } = JSON.parse(line) as Handed;
    if (Number.isSafeInteger(number) && typeof token === "string") return { number, token };
  } catch {
    // Reported below.
  }
  throw notForPeople();
}

export const notForPeople = () =>
  new InboxError("invalid_input", "keep is started by a supervisor, which hands it tasks", {
    hint: phrase`${call("tasks.run")} starts what is queued`,
  });

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
