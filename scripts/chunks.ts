/**
 * What the program loads when, and what it loads together (docs/decisions/0002).
 *
 * A function that is imported `with { load: "when-called" }` is loaded when it is first called. Everything else that runs our
 * sources (tests, the SDK, the page) ignores the attribute.
 *
 * The bundler makes a chunk of what is reached from exactly the same entries, and to load one takes 20 µs. Every module that is
 * loaded later is an entry, so what many of them reach was cut into 76 chunks for a single command. What the command line
 * shares with any of them is therefore imported by each of them, and is one chunk.
 */
import { dirname, join, resolve } from "node:path";
import type { BunPlugin } from "bun";

const src = join(import.meta.dir, "../src");
const main = join(src, "main.ts");
const commandLine = join(src, "surfaces/cli/main.ts");
/** The first answer of `inbox mcp` needs next to nothing of the rest. */
const greeting = join(src, "surfaces/mcp/stdio.ts");

const whenCalled = /^import \{([^}]*)\} from ("[^"]+") with \{\s*load: "when-called",?\s*\};$/gm;

/** With a function in place of each import that is to be loaded when it is called. It keeps what it loaded: `require` takes 0.9 µs. */
const rewritten = (source: string) =>
  source.replace(whenCalled, (_, names: string, from: string) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean)
      .map((name) => {
        const loaded = `(${name}Loaded ??= require(${from}).${name})`;
        return `let ${name}Loaded: any; function ${name}(...args: any[]) { return ${loaded}(...args); }`;
      })
      .join(" "),
  );

interface Imports {
  atOnce: string[];
  later: string[];
}

/** Our own modules, by what each imports. */
async function graphOf(entry: string): Promise<Map<string, Imports>> {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const graph = new Map<string, Imports>();
  const waiting = [entry];
  for (let path = waiting.pop(); path; path = waiting.pop()) {
    if (graph.has(path) || !path.endsWith(".ts")) continue;
    const imports: Imports = { atOnce: [], later: [] };
    graph.set(path, imports);
    for (const found of transpiler.scanImports(rewritten(await Bun.file(path).text()))) {
      if (!found.path.startsWith(".")) continue;
      const target = resolve(dirname(path), found.path);
      imports[found.kind === "import-statement" ? "atOnce" : "later"].push(target);
      waiting.push(target);
    }
  }
  return graph;
}

function reachedFrom(graph: ReadonlyMap<string, Imports>, entry: string): Set<string> {
  const reached = new Set([entry]);
  // A set also visits what is added to it meanwhile.
  for (const path of reached) for (const target of graph.get(path)?.atOnce ?? []) reached.add(target);
  return reached;
}

/** Which modules are loaded later, and which are one chunk: what the command line shares with them, and what many of them share. */
async function layOut(): Promise<{ entries: Set<string>; shared: Set<string> }> {
  const graph = await graphOf(main);
  const entries = new Set([...graph.values()].flatMap(({ later }) => later));
  entries.delete(greeting);
  const times = new Map<string, number>();
  for (const entry of entries)
    for (const path of reachedFrom(graph, entry)) times.set(path, (times.get(path) ?? 0) + 1);
  const needed = reachedFrom(graph, commandLine);
  const isShared = ([path, count]: [string, number]) => count > (needed.has(path) ? 1 : entries.size / 4);
  return { entries, shared: new Set([...times].filter(isShared).map(([path]) => path)) };
}

export async function chunks(): Promise<BunPlugin> {
  const { entries, shared } = await layOut();
  return {
    name: "chunks",
    setup(build) {
      build.onResolve({ filter: /^shared$/ }, () => ({ path: "shared", namespace: "chunks" }));
      build.onLoad({ filter: /.*/, namespace: "chunks" }, () => ({
        contents: [...shared].map((path) => `import ${JSON.stringify(path)};\n`).join(""),
        loader: "ts",
      }));
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = rewritten(await Bun.file(path).text());
        return { contents: entries.has(path) ? `import "shared";\n${source}` : source, loader: "ts" };
      });
    },
  };
}
