/** A command of a profile (a gate, `prepare`, `check`): run to its end, or ended when it takes too long. */
import { withoutTokens } from "../contract/secret.ts";
import { spawnPiped } from "./spawn.ts";

export interface CommandPlace {
  cwd: string;
  env: Record<string, string>;
  /** Ends what the command has started and left running; that would keep its output open. */
  clear(): Promise<void>;
  /** One that takes longer is ended. */
  limitMs?: number;
}

export interface CommandWays {
  /** Written to its standard input, which it does not have to read. Without it there is no input. */
  input?: string;
  /** Which part of its output is kept, and how many characters of its end. */
  keeps: "stderr" | "both";
  limit: number;
}

export interface CommandEnd {
  /** Null where it was killed. */
  code: number | null;
  /** It took too long. */
  late: boolean;
  output: string;
}

/** Throws where it could not be started. */
export async function runCommand(
  command: readonly string[],
  { cwd, env, clear, limitMs }: CommandPlace,
  { input, keeps, limit }: CommandWays,
): Promise<CommandEnd> {
  let timer: Timer | undefined;
  let late = false;
  let end = "";
  const listen = async (stream: AsyncIterable<Uint8Array>, kept: boolean) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream)
      if (kept) end = (end + decoder.decode(bytes, { stream: true })).slice(-limit);
  };
  try {
    const program = Bun.which(command[0]!, { PATH: env.PATH ?? "" }) ?? command[0]!;
    const child = spawnPiped([program, ...command.slice(1)], {
      argv0: command[0]!,
      cwd,
      env,
      input: input !== undefined,
    });
    if (input !== undefined) void tell(child.process.stdin!, input);
    const heard = Promise.all([listen(child.stdout, keeps === "both"), listen(child.stderr, true)]);
    if (limitMs !== undefined)
      timer = setTimeout(() => {
        late = true;
        void clear();
      }, limitMs);
    await child.process.exited;
    await clear();
    await heard;
    const output = withoutTokens(end.toWellFormed().replaceAll("\u0000", "\ufffd").trim());
    return { code: child.process.exitCode, late, output };
  } finally {
    clearTimeout(timer);
  }
}

async function tell(input: { write(text: string): unknown; end(): unknown }, text: string): Promise<void> {
  try {
    input.write(text);
    await input.end();
  } catch {
    // It does not have to read its input.
  }
}
