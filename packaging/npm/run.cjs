#!/usr/bin/env node
// Starts the program of the platform's package. Where install scripts may run, install.cjs has replaced this file by it.
const { spawn } = require("node:child_process");
const { basename } = require("node:path");
const { programPath } = require("./program.cjs");

let program;
try {
  program = programPath();
} catch (error) {
  console.error(error.message);
  process.exit(50);
}
// Listened for before it runs: a signal that came in between would end the launcher and leave the program.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
const child = spawn(program, process.argv.slice(2), { stdio: "inherit", argv0: basename(__filename) });
child.on("error", (error) => {
  console.error(`restante: ${program} could not be started: ${error.message}`);
  process.exit(50);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
