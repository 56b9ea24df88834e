/** Compiles a program as scripts/build.mjs compiles ours, with the flags that are written there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../test/support/cli.ts";

export function compile(source: string, outfile: string): string {
  const script = readFileSync(join(root, "scripts/build.mjs"), "utf8");
  const flags = /const flags = (\[[\s\S]*?\n\])/.exec(script)?.[1]?.replace(/,\s*\]$/, "]");
  if (!flags) throw new Error("scripts/build.mjs no longer has its flags where this looks for them");
  const built = Bun.spawnSync([
    process.execPath,
    "build",
    ...JSON.parse(flags),
    source,
    "--outfile",
    outfile,
  ]);
  if (!built.success) throw new Error(built.stderr.toString());
  return outfile;
}
