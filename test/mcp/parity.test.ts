/** Every tool answers what its operation answers directly, over REST and on the command line. */
import { describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { asInboxError } from "../../src/contract/errors.ts";
import { toolSets } from "../../src/contract/operation.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { flagsOf } from "../../src/surfaces/cli/flags.ts";
import { flagName } from "../../src/surfaces/spelling/shell.ts";
import { snakeCase } from "../../src/surfaces/text/recase.ts";
import { orch, program, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { freshDatabase } from "../support/fresh-bus.ts";
import { ask, type Fields, hubHere } from "../support/hub.ts";
import { isFull } from "../support/in-full.ts";
import { inspected } from "../support/inspector.ts";
import { overHttp, overStdio, revisions, type Visitor } from "../support/mcp.ts";
import { requestOf } from "../support/routes.ts";
import { everyTool, forged, type Row, theWorkspace, toolRound } from "../support/tool-round.ts";
import { until } from "../support/until.ts";

test("[C5] [C1] the round calls every tool there is, in whatever set", () => {
  expect(new Set(toolRound.map(({ form }) => form.tool))).toEqual(new Set(everyTool));
});

/** Times, secrets and drawn ids made equal; of a refusal its code, for its words name fields as the surface does. */
function settled(value: unknown): unknown {
  const { ok, error } = (value ?? {}) as { ok?: boolean; error?: { code: string } };
  if (ok === false) return { refused: error!.code };
  const text = JSON.stringify(value, (key, inner) => {
    if (key === "ts") return 0;
    if (typeof inner !== "string") return inner;
    if (key === "token") return "drawn";
    return inner
      .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time")
      .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, "an id")
      .replace(/\bws-[a-z0-9]{20}\b/g, "a workspace");
  });
  return JSON.parse(text);
}

/** The whole round somewhere; every row's answer, as the command line would print it. */
type Way = (row: Row, workspace: string) => Promise<unknown>;

interface Bus {
  db: string;
  workspace: string;
  [Symbol.dispose](): void;
}

async function bus(): Promise<Bus> {
  const folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  freshDatabase(db);
  const inbox = openInbox(db);
  const { workspace } = await inbox.call("workspaces.add", {
    path: "/on/another/machine",
    label: "x",
    agent: "w",
  });
  await inbox.close();
  return { db, workspace: workspace.workspaceId, [Symbol.dispose]: folder[Symbol.dispose] };
}

async function directly(db: string, { op, input }: Row, workspace: string): Promise<Fields> {
  const inbox = openInbox(db);
  try {
    return (await inbox.call(op.name as never, placed(input, workspace) as never)) as Fields;
  } catch (error) {
    return { ok: false, error: asInboxError(error).shape() };
  } finally {
    await inbox.close();
  }
}

const placed = (input: Fields, workspace: string): Fields =>
  input.workspace === theWorkspace ? { ...input, workspace } : input;

/** What a tool is to answer, from what its operation answers. */
function asTool({ op, form }: Row, value: Fields, agent = "main"): unknown {
  if (value.ok === false || op.cli.shape === "channel") return settled(value);
  const fields = snakeCase(form.set === "supervisor" ? ofTasks(value) : value) as Fields;
  if (form.tool !== "check_inbox") return settled(fields);
  const messages = (fields.messages as Fields[]).map((mail) => {
    const { id, sender_id, message, created_at, thread_id, kind, redelivered, sender_verified, summary } =
      mail;
    return {
      ...{ id, sender_id, message, created_at, sender_verified },
      ...(summary !== undefined && { summary }),
      ...(thread_id !== null && { thread_id, kind }),
      ...(redelivered === true && { redelivered }),
    };
  });
  return settled({ success: true, terminal_id: agent, messages, total: fields.total });
}

/** Of a task a model is told neither what it said itself nor what it has no use for, nor what there is not. */
const untold = ["prompt", "cwd", "host", "pid", "session", "parent", "retries", "messages"];
function ofTasks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ofTasks);
  if (typeof value !== "object" || value === null) return value;
  const told = Object.entries(value).filter(
    ([key, inner]) => inner !== null && !untold.includes(key) && !(key === "after" && inner.length === 0),
  );
  return Object.fromEntries(told.map(([key, inner]) => [key, ofTasks(inner)]));
}

/** Names as a tool has them; who calls is the connection's to say. */
function toolArguments({ op, form, input }: Row): Fields {
  const named = Object.entries(input).map(([key, value]) => [
    form.renamed?.[key] ??
      (op.cli.shape === "channel" ? key : key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)),
    value,
  ]);
  const { [op.cli.identity ?? ""]: _, workspace, ...args } = Object.fromEntries(named);
  return args;
}

/** Runs the round on a bus of its own beside the reference, row by row. */
async function compare(
  way: (at: Bus) => Promise<Way & AsyncDisposable>,
  expected: (row: Row, value: Fields) => unknown,
  applies: (row: Row) => boolean = () => true,
): Promise<void> {
  using reference = await bus();
  using other = await bus();
  await using there = await way(other);
  for (const row of toolRound) {
    const value = await directly(reference.db, row, reference.workspace);
    const what = [row.op.name, row.input];
    if (applies(row)) expect([what, await there(row, other.workspace)]).toEqual([what, expected(row, value)]);
    else await directly(other.db, row, other.workspace);
  }
}

const closing = (way: Way, close: () => Promise<void>): Way & AsyncDisposable =>
  Object.assign((...args: Parameters<Way>) => way(...args), { [Symbol.asyncDispose]: close });

test("[C5] [C4] REST", () =>
  compare(
    async ({ db }) => {
      const hub = await hubHere({ db });
      const way: Way = async ({ op, input, agent }, workspace) => {
        const answer = await ask(hub.url)(
          ...requestOf((op.http as readonly string[])[0]!, placed(input, workspace)),
        );
        // What was in the answer is collected once it is written out, which its reader is not told of.
        if (op.kind === "wait" && agent !== undefined)
          await until(
            "nothing is hidden in the mailbox",
            async () => (await hub.ask(`GET /api/mailbox/${agent}`)).json.hidden === 0,
          );
        return settled(answer.json);
      };
      return closing(way, () => hub[Symbol.asyncDispose]());
    },
    (_, value) => settled(value),
    ({ op }) => Array.isArray(op.http),
  ));

test("[C5] [C2] the command line", () =>
  compare(
    async ({ db }) => {
      const way: Way = async (row, workspace) => {
        const { json } = await run(["--json", "--db", db, ...commandLine(row, workspace)], {
          program: [row.op.cli.program === "orch" ? orch : program],
        });
        if (Array.isArray(json)) return settled(json);
        const { ok, command: _, ...fields } = json;
        return settled(ok === false ? json : fields);
      };
      return closing(way, async () => {});
    },
    ({ op }, value) => {
      const { bare, shape } = op.cli;
      if (value.ok === false) return settled(value);
      if (shape !== "channel") return settled(snakeCase(value));
      if (bare === undefined) return settled(value);
      const { [bare]: shown, ...rest } = value;
      return settled(Array.isArray(shown) ? shown : { ...(shown as Fields), ...rest });
    },
  ));

function commandLine({ op, input }: Row, workspace: string): string[] {
  const { [op.cli.identity ?? ""]: agent, ...rest } = placed(input, workspace);
  const plain = (op.cli.plain ?? []).filter((key) => key in rest).map((key) => String(rest[key]));
  const flags = flagsOf(op)
    .filter(({ field, role }) => role === "value" && field.key in rest && !op.cli.plain?.includes(field.key))
    .flatMap(({ field }) => {
      const value = rest[field.key];
      if (value === true) return [flagName(field)];
      const text = field.type === "json" ? JSON.stringify(value) : String(value);
      return [flagName(field), text];
    });
  // A flag that tells it from another operation of the same command.
  const chosen = flagsOf(op).filter(({ field }) => field.key === op.cli.needs && !(field.key in rest));
  return [
    ...op.cli.command.split(" "),
    ...chosen.map(({ field }) => flagName(field)),
    ...(agent ? ["--agent", String(agent)] : []),
    ...flags,
    "--",
    ...plain,
  ];
}

/** [X6] No line of a text for a model begins as an agent would like it to. */
function unforged(text: string): void {
  const [first] = forged.split("\n");
  expect(text.split("\n").filter((line) => line.trimStart().startsWith(first!))).toEqual([]);
}

/** One connection an agent, kept while the round lasts. */
function connected(open: (agent: string | undefined, workspace?: string) => Promise<Visitor>) {
  const kept = new Map<string, Promise<Visitor>>();
  const as = (agent: string | undefined, workspace?: string) => {
    const key = `${agent}@${workspace}`;
    const found = kept.get(key) ?? open(agent, workspace);
    kept.set(key, found);
    return found;
  };
  const way: Way = async (row, workspace) => {
    const inWorkspace = row.form.set === "user";
    const visitor = await as(row.agent, inWorkspace ? workspace : undefined);
    const { fields, text, failed } = await visitor.call(row.form.tool, toolArguments(row));
    expect(failed).toBe(fields.ok === false);
    expect(text.length).toBeGreaterThan(0);
    unforged(text);
    return settled(fields);
  };
  return closing(way, async () => {
    for (const visitor of kept.values()) await (await visitor).client.close();
  });
}

const expectedOfTool = (row: Row, value: Fields) => asTool(row, value, row.agent);

describe.each([...revisions])("the official client, %s", (revision) => {
  test("[C5] [X6] over HTTP", () =>
    compare(async ({ db }) => {
      const hub = await hubHere({ db });
      const way = connected((agent, workspace) =>
        overHttp(
          `${hub.url}/mcp${workspace ? `/${workspace}` : ""}${agent ? `?agent=${agent}` : ""}`,
          revision,
        ),
      );
      return closing(way, async () => {
        await way[Symbol.asyncDispose]();
        await hub[Symbol.asyncDispose]();
      });
    }, expectedOfTool));

  test("[C5] [X6] over stdio, where a client has no workspace", () =>
    compare(
      async ({ db }) => connected((agent) => overStdio(db, revision, agent)),
      expectedOfTool,
      ({ form }) => form.set !== "user",
    ));
});

describe("the inspector", () => {
  // Every call is a connection of its own that ends at once, so each is made on a copy of the bus as it is then.
  // A third of the calls, each by one of the two, and in full all by both: the official client makes all of them by both.
  test.each(["stdio", "HTTP"])(
    "[C5] its command line calls tools over %s",
    async (transport) => {
      using reference = await bus();
      const { workspace } = reference;
      for (const [index, row] of toolRound.entries()) {
        const copy = `${reference.db}-${index}`;
        copyFileSync(reference.db, copy);
        const value = await directly(reference.db, row, workspace);
        const inWorkspace = row.form.set === "user";
        // Nobody is in a workspace over stdio; and this program asks at /mcp whatever address it is given.
        if (inWorkspace || !(isFull || index % 6 === (transport === "HTTP" ? 0 : 3))) continue;
        await using hub = transport === "HTTP" ? await hubHere({ db: copy }) : undefined;
        const sets = toolSets.join(",");
        const address = hub && `${hub.url}/mcp?tools=${sets}${row.agent ? `&agent=${row.agent}` : ""}`;
        const answer = await inspected(
          address ? [address] : [program, "mcp", "--tools", sets],
          row.form.tool,
          toolArguments(row),
          { INBOX_DB: copy, ...(row.agent && { INBOX_AGENT: row.agent }) },
        );
        const what = [row.op.name, row.input];
        expect([what, settled(answer.structuredContent)]).toEqual([what, expectedOfTool(row, value)]);
      }
    },
    180_000,
  );
});
