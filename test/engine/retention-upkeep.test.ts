/** What a process that lives on does by itself, and files of tasks on this machine. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Text } from "../../src/contract/phrase.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { tendRetention, tendSchema } from "../../src/inbox/upkeep.ts";
import { thisHost } from "../../src/orch/paths.ts";
import { taskFiles } from "../../src/orch/task-files.ts";
import { temporaryFolder } from "../support/folder.ts";
import { rows } from "../support/stored.ts";
import { until } from "../support/until.ts";

const old = "2020-01-01T00:00:00.000Z";

test("[Y1] a hub deletes automatically once limits are set, and continues as rows become old", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const inbox = openInbox(path);
  const ending = new AbortController();
  const tending = tendRetention({ engine: inbox.engine, signal: ending.signal }, taskFiles(path, {}), 0);
  for (const limit of [1, 2]) {
    await inbox.call("messages.send", { channel: "c", content: "x", sender: "a" });
    await inbox.call("messages.ackAll", { channel: "c", agent: "b" });
    const { nextEventId } = await inbox.call("events.watch", { timeoutSeconds: 0 });
    await inbox.call("retention.set", { kind: "mail", count: 0, days: limit, agent: "boss" });
    let after = nextEventId;
    for (let applied = false; !applied; ) {
      const page = await inbox.call("events.watch", { afterEvent: after, timeoutSeconds: 30 });
      expect(page.woke).toBe(true);
      applied = page.events.some(({ eventType }) => eventType === "retention.applied");
      after = page.nextEventId;
    }
    expect(rows(path, "select * from messages")).toEqual([]);
  }
  ending.abort();
  await tending;
  await inbox.close();
});

test("[Y1.4] a hub logs why limits cannot be applied, once for each reason, and applies them when they can be", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const inbox = openInbox(path);
  const ending = new AbortController();
  const said: string[] = [];
  const complain = (message: Text) => void said.push(String(message));
  rows(path, "alter table retention rename to retention_of_a_later_version");
  const upkeep = { engine: inbox.engine, signal: ending.signal, complain };
  const tending = tendRetention(upkeep, taskFiles(path, {}), 0);
  await until("it has failed", () => said.length > 0);
  expect(said[0]).toMatch(
    /^deleting old data by its retention limits fails, and is tried again: .*no such table/,
  );
  rows(path, "alter table retention_of_a_later_version rename to retention");
  await inbox.call("messages.send", { channel: "c", content: "x", sender: "a" });
  await inbox.call("messages.ackAll", { channel: "c", agent: "b" });
  await inbox.call("retention.set", { kind: "mail", count: 0, agent: "boss" });
  await until("it works again", () => rows(path, "select * from messages").length === 0);
  expect(said).toHaveLength(1);
  ending.abort();
  await tending;
  await inbox.close();
});

test("[Y1] [Y2] transcripts are deleted where this program has put them, and nowhere else", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const tasks = `${path}-tasks`;
  const outside = join(folder.path, "precious");
  const places: Record<string, [string, string]> = {
    ours: [join(tasks, "1"), thisHost()],
    elsewhere: [join(tasks, "2"), "another-host"],
    foreign: [outside, thisHost()],
    linked: [join(tasks, "4"), thisHost()],
  };
  for (const [name, [place, host]] of Object.entries(places)) {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    if (name === "linked") symlinkSync(outside, place);
    else mkdirSync(place, { mode: 0o700 });
    writeFileSync(join(place, "transcript.jsonl"), "{}\n");
    rows(
      path,
      `insert into tasks (name, parent, status, prompt, cwd, place, created_at, finished_at, folder, host)
        values (?, 'main', 'finished', 'p', '/', 1, '${old}', '${old}', ?, ?)`,
      name,
      place,
      host,
    );
  }
  const inbox = openInbox(path);
  await inbox.call("retention.set", { kind: "transcripts", days: 30, agent: "boss" });
  const count = async (dryRun: boolean) =>
    (await inbox.call("retention.apply", { dryRun })).deleted.find(({ kind }) => kind === "transcripts")!
      .count;
  expect(await count(true)).toBe(3);
  expect(await count(false)).toBe(1);
  expect(existsSync(join(tasks, "1"))).toBe(false);
  for (const name of ["elsewhere", "foreign", "linked"])
    expect(existsSync(join(places[name]![0], "transcript.jsonl"))).toBe(true);
  // A task goes only once its files have gone.
  await inbox.call("retention.set", { kind: "tasks", days: 30, agent: "boss" });
  await inbox.call("retention.apply", {});
  const left = rows<{ name: string }>(path, "select name from tasks order by task_number");
  expect(left.map(({ name }) => name)).toEqual(["elsewhere", "foreign", "linked"]);
  await inbox.close();
});

test("[S3.4] a hub logs once that a newer program has migrated its database", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const inbox = openInbox(path);
  const known = inbox.engine.knownSchema;
  const ending = new AbortController();
  const said: string[] = [];
  const complain = (message: Text) => void said.push(String(message));
  const tending = tendSchema({ engine: inbox.engine, signal: ending.signal, complain }, 1);
  for (const more of [1, 2]) {
    rows(path, `pragma user_version = ${known + more}`);
    await until("it has said so", () => said.length >= more);
  }
  await Bun.sleep(20);
  expect(said).toEqual(
    [1, 2].map((more) =>
      expect.stringContaining(
        `migrated the database to schema version ${known + more}; this hub supports version ${known}`,
      ),
    ),
  );
  ending.abort();
  await tending;
  await inbox.close();
});
