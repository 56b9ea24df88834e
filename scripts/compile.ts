/** Compiles an executable: ours (scripts/build.mjs calls this with its argument as JSON), or one that is compared with it. */
import { join, resolve } from "node:path";
import { chunks } from "./chunks.ts";

export interface Program {
  entry: string;
  outfile: string;
  /** The executable that it is made from; without one, the Bun that runs this. */
  runtime?: string;
  /** The compiler's name of another system. */
  target?: string;
  /** Files that it carries inside. */
  packs?: readonly string[];
}

const root = join(import.meta.dir, "..");
const ours = join(root, "src/main.ts");

/**
 * In pieces: what a command does not need is not even read; in one piece every command took 4 ms of processor time more.
 * Reluctant to compile to machine code: what a command runs it mostly runs once, and compiling that took a fifth of its
 * processor time (src/main.ts ends it for whoever stays). It neither runs code nor reads settings of the folder it is called in.
 */
export async function compile({ entry, outfile, runtime, target, packs = [] }: Program): Promise<void> {
  const [main, ...files] = [entry, ...packs].map((path) => resolve(root, path));
  await Bun.build({
    entrypoints: [main!, ...files],
    target: "bun",
    format: "esm",
    splitting: true,
    minify: true,
    bytecode: true,
    loader: { ".pack": "file" },
    naming: { asset: "[name].[ext]" },
    tsconfig: join(root, "tsconfig.build.json"),
    plugins: main === ours ? [await chunks()] : [],
    compile: {
      outfile: resolve(root, outfile),
      jitPolicy: 50,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(runtime && { executablePath: resolve(root, runtime) }),
      ...(target && { target: target as Bun.Build.CompileTarget }),
    },
  });
}

if (import.meta.main) await compile(JSON.parse(process.argv[2]!));
