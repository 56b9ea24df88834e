/**
 * The runtime that the executable is made of, deaf to the variables by which Bun takes code from its environment: a
 * preloaded file, another program in place of ours, a debugger, flags for the compiler of native calls. By the time a line of ours
 * runs it would be too late, and Bun has no setting for it; so their names are spoiled in the copy that is built upon. No
 * variable can have a NUL in its name. On macOS Bun signs what it compiles, so after this.
 */
import { readFileSync, writeFileSync } from "node:fs";

/** The same that no sub-agent inherits. */
const names = JSON.parse(readFileSync(new URL("../src/orch/bun-variables.json", import.meta.url), "utf8"));
const inScript = Buffer.from("process.env.");

export function writeDeafRuntime(from, to) {
  const bytes = readFileSync(from);
  for (const name of names) {
    let found = 0;
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
      found++;
      if (bytes.subarray(at - inScript.length, at).equals(inScript)) continue;
      // Only the first letter: the linker lets other strings share the end of this one.
      bytes[at] = 0;
    }
    // Those that begin with another of these names were spoiled with it.
    const covered = names.some((other) => other !== name && name.startsWith(other));
    if (!found && !covered) throw new Error(`${from} does not know ${name}: see what became of it`);
  }
  writeFileSync(to, bytes, { mode: 0o755 });
}
