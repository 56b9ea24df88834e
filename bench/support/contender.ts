/** The parent's side of children/contender.ts. */
import { join } from "node:path";
import type { Load } from "./load.ts";

export interface Asked {
  work: string;
  clients: number;
  warmUpMs: number;
  forMs: number;
  /** There must be so much to take before it begins. */
  stock: number;
}

export interface Contending {
  pid: number;
  measure(asked: Asked): Promise<Load>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function contend(kind: string, ...addresses: string[]): Promise<Contending> {
  let told = Promise.withResolvers<Load | "ready">();
  const script = join(import.meta.dir, "../children/contender.ts");
  const child = Bun.spawn([process.execPath, script, kind, ...addresses], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (message: Load | "ready") => told.resolve(message),
    onExit: (_, code) => told.reject(new Error(`${kind} ended with ${code}`)),
  });
  await told.promise;
  return {
    pid: child.pid,
    async measure(asked) {
      told = Promise.withResolvers();
      child.send(asked);
      return (await told.promise) as Load;
    },
    async [Symbol.asyncDispose]() {
      told.promise.catch(() => {});
      child.kill();
      await child.exited;
    },
  };
}
