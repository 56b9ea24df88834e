/** `npm start`: installs what is missing, builds the program where it is not current, and runs the hub on an embedded database. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildIfChanged } from "./build.mjs";
import { cleanEnvironment, root } from "./setup.mjs";

buildIfChanged();
const args = ["serve", ...process.argv.slice(2)];
// [C13.6] So that hints name commands that work here.
const startedBy = process.env.npm_lifecycle_event ? { RESTANTE_STARTED_BY: "npm start" } : {};
const env = { ...cleanEnvironment(), ...startedBy };
const child = spawn(join(root, "dist/inbox"), args, { cwd: root, stdio: "inherit", env });
// The hub stops gracefully by itself; this process only waits for it. A terminal's Ctrl-C reaches both.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

/** A process's parent; undefined where the system does not say. */
function parentOf(pid) {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1]);
  } catch {
    return undefined;
  }
}

/** Those between this process and npm, npm itself included: it starts a shell, and the shell starts this. */
function npmAndBelow() {
  const shell = process.ppid;
  const isShell = process.env.npm_lifecycle_event && /(^|\/)(da|ba|z)?sh$/.test(commandOf(shell));
  return isShell ? `${shell} ${parentOf(shell)}` : `${shell}`;
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0")[0];
  } catch {
    return "";
  }
}

// npm that is killed outright passes nothing on. Nobody tells a process that its parent has gone, so it is looked for.
if (process.env.npm_lifecycle_event) {
  const before = npmAndBelow();
  const look = setInterval(() => {
    if (npmAndBelow() === before) return;
    clearInterval(look);
    console.error("npm has ended, so the hub ends too; run dist/inbox serve to keep one running by itself");
    child.kill("SIGTERM");
  }, 500);
  look.unref();
}
