/** Everything about a folder that a command which says "nothing was changed" must leave alone. */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function fingerprint(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(["", ...names].map((name) => [name, describe(join(folder, name))]));
}

function describe(path: string): string {
  const stat = lstatSync(path);
  const content = stat.isFile() ? Bun.hash(readFileSync(path)).toString(16) : "";
  return `${stat.mode.toString(8)} ${stat.isDirectory() ? "" : stat.size} ${content}`;
}
