/** What a model pays for tools and mail, in characters, and what a tool call takes, against an empty tool of the same SDK. */
import { join } from "node:path";
import { createDatabase } from "../src/engines/sqlite/connect.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { served } from "../test/support/hub.ts";
import { overHttp, overStdio, stdioOf, type Visitor } from "../test/support/mcp.ts";
import { median, most, ms, percentile, times } from "./support/figures.ts";
import type { Benchmark, Section } from "./support/section.ts";
import { startChild } from "./support/servers.ts";

const calls = 1000;
const warmUp = 200;
const revision = "2026-07-28";

async function timed(visitor: Visitor, tool: string, args: Record<string, unknown> = {}): Promise<number> {
  const started = performance.now();
  const { failed, text } = await visitor.call(tool, args);
  if (failed) throw new Error(text);
  return performance.now() - started;
}

interface Side {
  transport: string;
  empty: number[];
  read: number[];
  write: number[];
}

async function side(transport: string, floor: Promise<Visitor>, ours: Promise<Visitor>): Promise<Side> {
  await using nothing = await floor;
  await using bus = await ours;
  const measured: Side = { transport, empty: [], read: [], write: [] };
  // In turn, so that what else the machine does falls on all of them.
  for (let i = -warmUp; i < calls; i++) {
    const empty = await timed(nothing, "nothing");
    const read = await timed(bus, "fetch");
    const write = await timed(bus, "send_message", { receiver_id: "w", message: "x".repeat(200) });
    if (i < 0) continue;
    measured.empty.push(empty);
    measured.read.push(read);
    measured.write.push(write);
  }
  return measured;
}

const line = (name: string) =>
  `[Task: ${name}] mean=3.0, median=2.9, 4 outliers removed; see results/${name}.md for the whole table`;
const paragraph = (name: string) =>
  `${line(name)}\n${"The values were read from the raw files and checked against last month's figures. ".repeat(6)}`;

interface Paid {
  what: string;
  said: number;
  text: number;
  fields: number;
}

/** Three workers have answered; what the leader's model is shown of it. */
async function answer(lead: Visitor, what: string, write: (name: string) => string): Promise<Paid> {
  const messages = ["dataset_A", "dataset_B", "dataset_C"].map(write);
  for (const message of messages) await lead.call("send_message", { receiver_id: "lead", message });
  const { text, fields } = await lead.call("check_inbox", { timeout: 5, batch_window: 0 });
  return { what, said: messages.join("").length, text: text.length, fields: JSON.stringify(fields).length };
}

async function run(): Promise<Section> {
  await using hub = await served();
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  createDatabase(db);
  const floor = await startChild("empty-tool.ts");
  try {
    const address = `${hub.url}/mcp?agent=lead`;
    const lists: [string, number, number][] = [];
    const list = async (who: string, url: string, headers: Record<string, string> = {}) => {
      await using visitor = await overHttp(url, revision, headers);
      const { tools } = await visitor.client.listTools();
      lists.push([who, tools.length, JSON.stringify(tools).length]);
    };
    await list("nobody has chosen", address);
    for (const scope of ["worker", "leader"]) {
      const { token } = (await hub.ask("POST /api/tokens", { agent: `a-${scope}`, scope })).json;
      await list(`a token for a ${scope}`, `${hub.url}/mcp`, { authorization: `Bearer ${token}` });
    }
    const paid: Paid[] = [];
    {
      await using lead = await overHttp(address, revision);
      paid.push(await answer(lead, "a line each", line));
      paid.push(await answer(lead, "a paragraph each", paragraph));
    }
    const script = join(import.meta.dir, "children/empty-tool.ts");
    const sides = [
      await side(
        "stdio",
        stdioOf(revision, process.execPath, [script, "stdio"]),
        overStdio(db, revision, "lead"),
      ),
      await side("HTTP", overHttp(floor.url, revision), overHttp(address, revision)),
    ];
    return section(lists, paid, sides);
  } finally {
    await floor.stop();
  }
}

function section(lists: [string, number, number][], paid: Paid[], sides: Side[]): Section {
  const count = (n: number) => n.toLocaleString("en");
  const row = (name: string, samples: readonly number[], floor: readonly number[]) => [
    name,
    ms(median(samples)),
    ms(percentile(samples, 0.99)),
    ms(most(samples)),
    times(median(samples) / median(floor)),
    times(percentile(samples, 0.99) / percentile(floor, 0.99)),
  ];
  return {
    title: "Over MCP",
    about:
      "What a model pays: the characters of `tools/list`, and of a `check_inbox` answer with three messages against the messages themselves. " +
      "A client shows its model the text of an answer or its fields (Claude Code: the fields), so both are counted. " +
      `Then ${calls} calls of each, in turn, with the official client, revision ${revision}: a read, and a message of 200 characters that is durable before ` +
      "the answer, against a tool that does nothing on a server of the same SDK.",
    tables: [
      {
        head: ["`tools/list`", "tools", "characters"],
        rows: lists.map(([who, n, size]) => [who, String(n), count(size)]),
      },
      {
        head: ["three messages", "characters", "text", "fields"],
        rows: paid.map(({ what, said, text, fields }) => [
          what,
          count(said),
          times(text / said),
          times(fields / said),
        ]),
      },
      {
        head: ["one call", "p50", "p99", "worst", "p50 to an empty tool", "p99 to an empty tool"],
        rows: sides.flatMap(({ transport, empty, read, write }) => [
          row(`${transport}: an empty tool, the floor`, empty, empty),
          row(`${transport}: fetch`, read, empty),
          row(`${transport}: send_message`, write, empty),
        ]),
      },
    ],
    aims: [
      {
        aim: "the tools that are listed unless somebody chooses: under 6,000 characters",
        found: count(lists[0]![2]),
        met: lists[0]![2] < 6000,
      },
      ...paid.flatMap(({ what, said, text, fields }) =>
        (
          [
            ["text", text],
            ["fields", fields],
          ] as const
        ).map(([which, size]) => ({
          aim: `three messages, ${what}: the ${which} under 1.3 × the messages`,
          found: times(size / said),
          met: size / said < 1.3,
        })),
      ),
    ],
  };
}

export const mcp: Benchmark = { name: "mcp", run };
