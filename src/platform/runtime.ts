/**
 * Functions that differ between runtimes: the programs run on Bun, the SDK also on Node and Deno. Bun's own functions
 * load faster.
 */

/** Bun, or undefined on another runtime. */
export const bun: typeof Bun | undefined = (globalThis as { Bun?: typeof Bun }).Bun;

export const sleep: (ms: number) => Promise<void> =
  bun?.sleep ?? ((ms) => new Promise((done) => setTimeout(done, ms)));

/** Stops the whole thread. */
export function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** In hexadecimal. */
export function sha256(text: string): string {
  if (bun) return new bun.CryptoHasher("sha256").update(text).digest("hex");
  const { createHash } = require("node:crypto") as typeof import("node:crypto");
  return createHash("sha256").update(text).digest("hex");
}

export function parseToml(text: string): unknown {
  if (bun) return bun.TOML.parse(text);
  return (require("smol-toml") as typeof import("smol-toml")).parse(text);
}

/** Runs a program to its end, without input: returns its output and its pid. Throws if it cannot be started. */
export function spawnSync(
  argv: readonly [string, ...string[]],
  env: Record<string, string>,
): { text: string; pid: number } {
  if (bun) {
    const { stdout, pid } = bun.spawnSync([...argv], { env, cwd: "/", stdin: "ignore", stderr: "ignore" });
    return { text: stdout.toString(), pid };
  }
  const { spawnSync: spawn } = require("node:child_process") as typeof import("node:child_process");
  const [program, ...args] = argv;
  const { stdout, pid, error } = spawn(program, args, { env, cwd: "/", stdio: ["ignore", "pipe", "ignore"] });
  if (error) throw error;
  return { text: stdout.toString(), pid };
}
