/** Lines to hubs in a process of their own, so that nobody else holds them up (lines-driver.ts). */
import { join } from "node:path";
import { bareEnvironment, root } from "../../support/cli.ts";

export interface Lines {
  /** One for each hub. */
  urls: string[];
  /** From now on so many of the new connections are broken, from 0 to 1. */
  breaking(rate: number): void;
  stop(): Promise<void>;
}

export interface LinesConfig {
  ports: number[];
  seed: number;
  /** For the faults. */
  file: string;
}

export async function startLines(config: LinesConfig): Promise<Lines> {
  const flags = [`--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  const driver = join(import.meta.dir, "lines-driver.ts");
  const child = Bun.spawn([process.execPath, ...flags, driver, JSON.stringify(config)], {
    cwd: "/",
    env: bareEnvironment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return {
    urls: JSON.parse(text),
    breaking(rate) {
      child.stdin.write(`${rate}\n`);
      child.stdin.flush();
    },
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
