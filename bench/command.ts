/** How long a command takes, from spawn to exit, against the emptiest programs there are. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBus } from "../src/engines/registry.ts";
import { openInbox } from "../src/inbox/inbox.ts";
import { bareEnvironment, program, root } from "../test/support/cli.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { startPostgres } from "../test/support/servers.ts";
import { compile } from "./support/compile.ts";
import { least, median, ms, times } from "./support/figures.ts";
import { paced } from "./support/pace.ts";
import type { Benchmark, Section } from "./support/section.ts";

const rounds = paced(60, 15);
const warmUp = 5;

interface Program {
  name: string;
  command: string[];
}

/** The same rows as `inbox send` writes, as durable; the shell's own check-point at its end is left out. */
const sqliteSend = `
pragma synchronous = full; begin immediate;
insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, created_at, updated_at)
  values ('default', 'task', 'Add the routes', 'leader', 'worker', 'worker', 'pending', '2026-01-01', '2026-01-01');
insert into messages (thread_id, from_agent, to_agent, kind, summary, created_at)
  values (last_insert_rowid(), 'leader', 'worker', 'task', 'Add the routes', '2026-01-01');
update threads set latest_message_id = last_insert_rowid()
  where thread_id = (select thread_id from messages where message_id = last_insert_rowid());
insert into events (source, event_type, message_id, created_at)
  values ('leader', 'thread.created', last_insert_rowid(), '2026-01-01');
commit;`;

async function fill(db: string): Promise<void> {
  await createBus(db);
  const inbox = openInbox(db);
  const send = (from: string, to: string, subject: string) =>
    inbox.call("threads.send", { from, to, subject, body: "x".repeat(500) });
  await send("worker", "leader", "Here I am");
  await Promise.all(Array.from({ length: 100 }, (_, i) => send("leader", "worker", `Task ${i}`)));
  await inbox.close();
}

function emptyPrograms(folder: string): Program[] {
  const source = join(folder, "empty.ts");
  writeFileSync(source, "export {};\n");
  writeFileSync(join(folder, "empty.cjs"), "");
  const bun = [process.execPath, `--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  return [
    { name: "/bin/true", command: ["/bin/true"] },
    { name: "empty Bun, compiled", command: [compile(source, join(folder, "empty"))] },
    { name: "empty Bun, from source", command: [...bun, source] },
    { name: "empty Node", command: ["node", join(folder, "empty.cjs")] },
  ];
}

async function run(): Promise<Section> {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await fill(at("send.db"));
  await using server = await startPostgres();
  await fill(server.url);
  for (const name of ["plain.db", "fetch.db", "shell.db", "hand.db"]) copyFileSync(at("send.db"), at(name));
  const inbox = (name: string, db: string, ...args: string[]): Program => ({
    name,
    command: [program, ...args, "--json", "--db", db.includes(":") ? db : at(db)],
  });
  const onServer = (name: string, ...args: string[]) => inbox(`${name}, on Postgres`, server.url, ...args);
  const message = ["send", "worker", "Go on", "--from", "leader"];
  const sends = ["send", "--from", "leader", "--to", "worker", "--subject", "Add the routes"];
  const programs = [
    ...emptyPrograms(folder.path),
    {
      name: "sqlite3 shell, same rows",
      command: ["sqlite3", "-cmd", ".dbconfig no_ckpt_on_close on", at("shell.db"), sqliteSend],
    },
    {
      name: "compiled Bun, same rows by hand",
      command: [compile(join(import.meta.dir, "children/send-by-hand.ts"), at("by-hand")), at("hand.db")],
    },
    { name: "inbox --version", command: [program, "--version"] },
    {
      name: "inbox --version, by bin/inbox of the checkout",
      command: [join(root, "bin/inbox"), "--version"],
    },
    inbox("inbox send (a thread)", "send.db", ...sends),
    inbox("inbox send AGENT MESSAGE", "plain.db", ...message),
    inbox("inbox fetch (50 of 100)", "fetch.db", "fetch", "--agent", "worker"),
    {
      name: "the rows of a thread by hand, on Postgres",
      command: [
        compile(join(import.meta.dir, "children/send-by-hand-postgres.ts"), at("by-hand-postgres")),
        server.url,
      ],
    },
    onServer("inbox send (a thread)", ...sends),
    onServer("inbox send AGENT MESSAGE", ...message),
    onServer("inbox fetch (50 of 100)", "fetch", "--agent", "worker"),
  ];
  const samples = programs.map((): number[] => []);
  for (let round = -warmUp; round < rounds; round++) {
    // Another one begins each round, so that none always follows the same neighbour.
    for (let turn = 0; turn < programs.length; turn++) {
      const which = (turn + round + warmUp) % programs.length;
      const took = timed(programs[which]!);
      if (round >= 0) samples[which]!.push(took);
    }
  }
  return section(programs, samples);
}

function timed({ name, command }: Program): number {
  const started = performance.now();
  const { exitCode } = Bun.spawnSync(command, {
    env: bareEnvironment(),
    stdio: ["ignore", "ignore", "ignore"],
  });
  const took = performance.now() - started;
  if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}`);
  return took;
}

function section(programs: readonly Program[], samples: readonly number[][]): Section {
  const p50 = (name: string) => median(samples[programs.findIndex((one) => one.name.startsWith(name))]!);
  const compiled = p50("empty Bun, compiled");
  const node = p50("empty Node");
  const atMost = (name: string, limit: number, floor: number, of: string) => {
    const ratio = p50(name) / floor;
    return { aim: `${name}: at most ${limit} × ${of}`, found: times(ratio), met: ratio <= limit };
  };
  const commands = programs
    .map(({ name }) => name)
    .filter((name) => /^inbox (send|fetch)/.test(name) && !name.endsWith("on Postgres"));
  const aims = [
    ...commands.flatMap((name) => [
      atMost(name, 2.5, compiled, "an empty compiled Bun"),
      atMost(name, 0.4, node, "an empty Node"),
    ]),
    atMost("inbox --version", 1.5, compiled, "an empty compiled Bun"),
  ];
  return {
    title: "A command",
    about: `From spawn to exit, ${rounds} rounds with the programs taking turns. The writes are durable (\`synchronous=full\`).`,
    tables: [
      {
        head: ["Program", "p50", "fastest", "to empty compiled Bun", "to empty Node"],
        rows: programs.map(({ name }, i) => {
          const middle = median(samples[i]!);
          return [name, ms(middle), ms(least(samples[i]!)), times(middle / compiled), times(middle / node)];
        }),
      },
    ],
    aims,
    notes: [
      "A Bun program closes its database as it exits; the last one out copies the log into the file: five fsyncs a send, not one. The shell is told not to.",
    ],
  };
}

export const command: Benchmark = { name: "command", needs: ["sqlite3"], run };
