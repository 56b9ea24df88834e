/** A child whose output is read only as fast as it is processed: 1 GB of it needs a few hundred kilobytes. */
import type { FileSink, Subprocess } from "bun";
import { InboxError } from "../contract/errors.ts";
import { makePipe } from "../platform/descriptors.ts";
import { fs } from "../platform/system.ts";

/** Started by the runtime, which waits for its exit itself. */
export const startedHere = new Set<number>();

/** Until it has exited: after that its number may belong to another process. */
export function isStartedHere({ pid, exited }: { pid: number; exited: Promise<unknown> }): void {
  startedHere.add(pid);
  void exited.then(() => startedHere.delete(pid));
}

/** The error codes of a machine that has no room for another process now. */
export const shortages: readonly string[] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"];

export interface Piped {
  process: Subprocess & { stdin?: FileSink };
  stdout: AsyncIterable<Uint8Array>;
  stderr: AsyncIterable<Uint8Array>;
}

export interface SpawnOptions {
  argv0: string;
  cwd: string;
  env: Record<string, string>;
  /** Whether its standard input is a pipe; else there is none. */
  input: boolean;
}

export function spawnPiped(argv: readonly string[], { input, ...options }: SpawnOptions): Piped {
  const [out, err] = [makePipe(), makePipe()];
  try {
    const child = Bun.spawn([...argv], {
      ...options,
      stdin: input ? "pipe" : "ignore",
      stdout: out?.to ?? "pipe",
      stderr: err?.to ?? "pipe",
      detached: true,
    });
    isStartedHere(child);
    const from = (pipe: typeof out, own: unknown) =>
      pipe ? readToEnd(pipe.from) : (own as AsyncIterable<Uint8Array>);
    return {
      process: child as Piped["process"],
      stdout: from(out, child.stdout),
      stderr: from(err, child.stderr),
    };
  } catch (error) {
    for (const pipe of [out, err]) if (pipe) fs().closeSync(pipe.from);
    // The machine is short of something: it may work later.
    if (shortages.includes((error as { code?: string }).code ?? "")) throw error;
    const { cwd } = options;
    if (cwd !== undefined && !fs().existsSync(cwd))
      throw new InboxError("not_found", `${argv[0]} could not be started: the folder ${cwd} does not exist`);
    throw new InboxError("not_found", `${argv[0]} could not be started: ${(error as Error).message}`, {
      hint: "check that it was built for this machine and that the interpreter in its first line is installed",
    });
  } finally {
    for (const pipe of [out, err]) if (pipe) fs().closeSync(pipe.to);
  }
}

/** The runtime reads a duplicate of the descriptor and closes that; we close the descriptor itself. */
async function* readToEnd(descriptor: number): AsyncGenerator<Uint8Array> {
  try {
    yield* Bun.file(descriptor).stream() as unknown as AsyncIterable<Uint8Array>;
  } finally {
    fs().closeSync(descriptor);
  }
}
