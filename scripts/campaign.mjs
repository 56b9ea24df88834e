/** Runs a long program of ours in a process that clears up after it. Signals are that one's to heed; this one only waits. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { bunPath, cleanEnvironment, root } from "./setup.mjs";

export function campaign(program, args) {
  const bun = [bunPath(), `--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  const words = [...bun, join(root, "scripts/ending-all.ts"), ...bun, program, ...args];
  const child = spawn(words[0], words.slice(1), { cwd: root, stdio: "inherit", env: cleanEnvironment() });
  passSignals(child);
  child.on("exit", (code) => process.exit(code ?? 1));
}

/** To one that ends what it has started: a signal that reaches only this process would leave it running. */
export function passSignals(child) {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  const pass = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, pass);
  child.on("exit", () => {
    for (const signal of signals) process.off(signal, pass);
  });
}
