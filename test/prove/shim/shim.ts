/** The library that is put before a program to slow down or record its writes (disk.c), compiled here; undefined without a C compiler. */
import { join } from "node:path";
import { temporaryFolder } from "../../support/folder.ts";

export function diskShim(): string | undefined {
  const compiler = Bun.which("gcc") ?? Bun.which("cc");
  if (!compiler || process.platform !== "linux") return undefined;
  const folder = temporaryFolder();
  process.on("exit", () => folder[Symbol.dispose]());
  const library = join(folder.path, "disk.so");
  const source = join(import.meta.dir, "disk.c");
  const made = Bun.spawnSync([
    compiler,
    "-shared",
    "-fPIC",
    "-O2",
    "-o",
    library,
    source,
    "-ldl",
    "-lpthread",
  ]);
  if (made.exitCode !== 0) throw new Error(`${compiler}: ${made.stderr}`);
  return library;
}
