/** Workers that are killed with `kill -9` while they write, and what each had been told by then. */
import { expect } from "bun:test";
import { join } from "node:path";
import { bareEnvironment, root } from "../support/cli.ts";
import type { Acknowledged } from "./kill-record.ts";

export const alive = new Set<{ kill(signal: "SIGKILL"): void }>();

/** Those that a test which ended early has left behind. */
export function killAlive(): void {
  for (const child of alive) child.kill("SIGKILL");
}

/** Starts a worker and kills it after some acknowledgements, or within `startMs`, before the first; answers with what it had been told. */
export async function killWorker(
  db: string,
  agent: string,
  { random, startMs }: { random: () => number; startMs: number },
): Promise<Acknowledged[]> {
  const flags = [`--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  const driver = join(import.meta.dir, "kill-driver.ts");
  const workerSeed = String(Math.floor(random() * 2 ** 31));
  const child = Bun.spawn([process.execPath, ...flags, driver, db, agent, workerSeed], {
    env: bareEnvironment(),
    cwd: "/",
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  alive.add(child);
  const complaints = new Response(child.stderr).text();
  // One in five dies while it starts or connects: opening and recovery must stand it too.
  const early = random() < 0.2;
  const linesToLive = early ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * 25);
  const kill = async (afterMs: number) => {
    await Bun.sleep(afterMs);
    child.kill("SIGKILL");
  };
  let killing = early ? kill(random() * startMs) : undefined;
  let output = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += chunk;
    if (output.split("\n").length > linesToLive) killing ??= kill(random() * 4);
  }
  await killing;
  await child.exited;
  alive.delete(child);
  expect({ signal: child.signalCode, complaints: await complaints }).toEqual({
    signal: "SIGKILL",
    complaints: "",
  });
  return completeLines(output).map((line) => JSON.parse(line));
}

/** What is after the last line feed was not printed to the end, so it was not acknowledged. */
export const completeLines = (output: string) => output.split("\n").slice(0, -1);
