/** Compiles a program as ours is compiled. */
import { join } from "node:path";
import { root } from "../../test/support/cli.ts";

export function compile(entry: string, outfile: string): string {
  const script = join(root, "scripts/compile.ts");
  const built = Bun.spawnSync([process.execPath, script, JSON.stringify({ entry, outfile })]);
  if (!built.success) throw new Error(built.stderr.toString());
  return outfile;
}
