/** From the start of `inbox mcp` to its first answer: what an agent program waits for before its own first turn. */
import { join } from "node:path";
import { createDatabase } from "../src/engines/sqlite/connect.ts";
import { bareEnvironment, program } from "../test/support/cli.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { compile } from "./support/compile.ts";
import { least, median, ms, times } from "./support/figures.ts";
import { paced } from "./support/pace.ts";
import type { Benchmark, Section } from "./support/section.ts";

const rounds = paced(40, 10);
const warmUp = 3;
/** What clients send today; `inbox mcp` also has a later revision, which needs no such greeting. */
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};

async function untilAnswered(command: string[], env: Record<string, string>): Promise<number> {
  const started = performance.now();
  const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit", env });
  child.stdin.write(`${JSON.stringify(initialize)}\n`);
  child.stdin.flush();
  const { value } = await child.stdout.getReader().read();
  const took = performance.now() - started;
  const { result } = JSON.parse(new TextDecoder().decode(value)) as { result?: object };
  if (!result) throw new Error(`${command[0]} does not answer initialize`);
  child.stdin.end();
  await child.exited;
  return took;
}

async function run(): Promise<Section> {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  createDatabase(db);
  const env = { ...bareEnvironment(), INBOX_DB: db };
  const source = join(import.meta.dir, "children/answers-initialize.ts");
  const programs = [
    { name: "an empty Bun program that answers it", command: [compile(source, join(folder.path, "floor"))] },
    { name: "inbox mcp", command: [program, "mcp", "--agent", "lead"] },
  ];
  const taken = programs.map((): number[] => []);
  for (let round = -warmUp; round < rounds; round++)
    for (const [i, { command }] of programs.entries()) {
      const time = await untilAnswered(command, env);
      if (round >= 0) taken[i]!.push(time);
    }
  const [floor, ours] = taken.map(median) as [number, number];
  return {
    title: "The start of an MCP server",
    about: `From spawn to the answer of \`initialize\` over stdio, ${rounds} rounds with the programs taking turns.`,
    tables: [
      {
        head: ["Program", "p50", "fastest", "to the empty program"],
        rows: programs.map(({ name }, i) => [
          name,
          ms(median(taken[i]!)),
          ms(least(taken[i]!)),
          times(median(taken[i]!) / floor),
        ]),
      },
    ],
    aims: [
      {
        aim: "at most 3 × an empty Bun program that answers it",
        found: times(ours / floor),
        met: ours / floor <= 3,
      },
    ],
  };
}

export const mcpStart: Benchmark = { name: "mcp-start", run };
