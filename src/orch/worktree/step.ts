/** A command of the profile that has to succeed before something else happens: `prepare` and `check`. */
import { withoutTokens } from "../../contract/secret.ts";
import { spawnPiped } from "../spawn.ts";

export interface Step {
  cwd: string;
  env: Record<string, string>;
  /** Ends what the command has started and left. */
  clear(): Promise<void>;
  /** One that takes longer is ended, and has failed. */
  limitMs?: number;
}

export interface StepEnd {
  ok: boolean;
  /** What it was, how it ended, and the end of what it printed. */
  error: string;
  output: string;
}

/** Bytes of output that are told. */
const outputLimit = 16 * 1024;

export async function runStep(
  command: readonly string[],
  { cwd, env, clear, limitMs }: Step,
): Promise<StepEnd> {
  const shown = command.join(" ");
  let timer: Timer | undefined;
  let late = false;
  try {
    const program = Bun.which(command[0]!, { PATH: env.PATH ?? "" }) ?? command[0]!;
    const {
      process: child,
      stdout,
      stderr,
    } = spawnPiped([program, ...command.slice(1)], {
      argv0: command[0]!,
      cwd,
      env,
      input: false,
    });
    let end = "";
    const listen = async (stream: AsyncIterable<Uint8Array>) => {
      const decoder = new TextDecoder();
      for await (const bytes of stream)
        end = (end + decoder.decode(bytes, { stream: true })).slice(-outputLimit);
    };
    const heard = Promise.all([listen(stdout), listen(stderr)]);
    if (limitMs !== undefined)
      timer = setTimeout(() => {
        late = true;
        void clear();
      }, limitMs);
    await child.exited;
    await clear();
    await heard;
    const output = withoutTokens(end.toWellFormed().replaceAll("\u0000", "\ufffd").trim());
    const how = late
      ? `exceeded its timeout of ${limitMs! / 1000} seconds`
      : child.exitCode === null
        ? "was killed"
        : `exited with status ${child.exitCode}`;
    return { ok: child.exitCode === 0 && !late, error: `${shown} ${how}`, output };
  } catch (error) {
    return { ok: false, error: `${shown} could not be started: ${(error as Error).message}`, output: "" };
  } finally {
    clearTimeout(timer);
  }
}
