/** Making the tables and bringing them forward, also by several at once. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Text } from "../../src/contract/phrase.ts";
import { parseAddress } from "../../src/engines/postgres/address.ts";
import { createPostgres, greet } from "../../src/engines/postgres/connect.ts";
import { Connection } from "../../src/engines/postgres/connection.ts";
import { migrations } from "../../src/engines/postgres/schema.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { tendSchema } from "../../src/inbox/upkeep.ts";
import { bareEnvironment, root } from "../support/cli.ts";
import { beforeTokensAreUnique, twoThreadsByOneToken } from "../support/old-leases.ts";
import { administrator, postgresUrl } from "../support/postgres.ts";
import { postgresSuite, times } from "../support/postgres-suite.ts";
import { refusal } from "../support/refusal.ts";
import { stored } from "../support/stored-postgres.ts";

const made: string[] = [];
afterAll(async () => {
  for (const schema of made) await administrator().unsafe(`drop schema if exists ${schema} cascade`);
});

/** The address of a schema that is not there yet. */
function fresh(): string {
  const schema = `migrations_${process.pid}_${made.length}`;
  made.push(schema);
  return `${postgresUrl}?schema=${schema}`;
}

const versionOf = (url: string) => stored(url, "select version from bus");
const extra = "create table extra (a integer); insert into extra values (1);";

/** Eight processes that make or migrate the same bus at the same moment. */
async function together(url: string, ...more: string[]): Promise<boolean[]> {
  const flags = [`--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  const children = times(8, () =>
    Bun.spawn([process.execPath, ...flags, join(import.meta.dir, "create-child.ts"), url, ...more], {
      env: bareEnvironment(),
      cwd: "/",
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    }),
  );
  const outputs = children.map((child) => child.stdout.pipeThrough(new TextDecoderStream()).getReader());
  for (const output of outputs) expect((await output.read()).value).toBe("ready\n");
  for (const child of children) {
    child.stdin.write("now\n");
    child.stdin.end();
  }
  const answers = await Promise.all(outputs.map((output) => output.read()));
  expect(await Promise.all(children.map((child) => child.exited))).toEqual(times(8, () => 0));
  return answers.map(({ value }) => JSON.parse(value!).created);
}

postgresSuite("migrations", () => {
  test("[S3] eight processes that create one bus at once create one, and one of them reports it", async () => {
    const url = fresh();
    const created = await together(url);
    expect(created.filter(Boolean)).toEqual([true]);
    expect(await versionOf(url)).toEqual([{ version: migrations.length }]);
    const inbox = openInbox(url);
    expect(await inbox.call("messages.pending", { channel: "c" })).toMatchObject({ count: 0 });
    await inbox.close();
  });

  test("[S3] an older schema is migrated, by eight processes at once as by one, and keeps its rows", async () => {
    const url = fresh();
    await createPostgres(url);
    const inbox = openInbox(url);
    await inbox.call("messages.send", { channel: "c", sender: "s", content: "kept" });
    await inbox.close();
    expect(await together(url, extra)).toEqual(times(8, () => false));
    expect(await versionOf(url)).toEqual([{ version: migrations.length + 1 }]);
    expect(await stored(url, "select a from extra")).toEqual([{ a: 1 }]);
    expect(await stored(url, "select body from messages")).toEqual([{ body: "kept" }]);
  });

  test("[S3] any process that opens an older schema migrates it, without init", async () => {
    const url = fresh();
    await createPostgres(url);
    const address = parseAddress(url);
    const connection = new Connection(address);
    await greet(connection, address, [...migrations, extra]);
    await connection.close();
    expect(await versionOf(url)).toEqual([{ version: migrations.length + 1 }]);
  });

  test("[S3.4] a hub whose new connections are refused because a newer program has migrated the database logs that", async () => {
    const url = fresh();
    await createPostgres(url);
    const inbox = openInbox(url);
    await stored(url, "update bus set version = version + 1");
    const ending = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Text>();
    const tending = tendSchema({ engine: inbox.engine, signal: ending.signal, complain: resolve }, 1);
    expect(String(await promise)).toContain(`to schema version ${migrations.length + 1}`);
    ending.abort();
    await tending;
    await inbox.close();
  });

  test("[B4.7] [S3] a token that an older bus holds for two threads is held for the first of them", async () => {
    const url = fresh();
    await createPostgres(url, beforeTokensAreUnique(migrations));
    await stored(url, twoThreadsByOneToken);
    await createPostgres(url);
    expect(
      await stored(url, "select lease_token from leases where released_at is null order by thread_id"),
    ).toEqual([{ lease_token: "t" }, { lease_token: expect.stringMatching(/^[0-9a-f]{24}$/) }]);
  });

  test("[S3] a migration that fails leaves everything as it was", async () => {
    const url = fresh();
    await createPostgres(url);
    const broken = [...migrations, extra, "create table never (a integer); select 1 / 0;"];
    expect((await refusal(createPostgres(url, broken))).code).toBe("storage");
    expect(await versionOf(url)).toEqual([{ version: migrations.length }]);
    expect(await stored(url, "select to_regclass('extra') as extra, to_regclass('never') as never")).toEqual([
      { extra: null, never: null },
    ]);
    const inbox = openInbox(url);
    expect(await inbox.call("messages.pending", { channel: "c" })).toMatchObject({ count: 0 });
    await inbox.close();
  });

  test("[S3] a newer schema is refused when it is opened or created, and nothing is changed", async () => {
    const url = fresh();
    await createPostgres(url);
    await stored(url, "update bus set version = 999");
    const inbox = openInbox(url);
    const errors = [
      inbox.call("messages.send", { channel: "c", sender: "s", content: "no" }),
      inbox.call("messages.pending", { channel: "c" }),
      createPostgres(url),
    ].map(refusal);
    for (const error of await Promise.all(errors)) {
      expect(error.code).toBe("storage");
      expect(error.message).toContain("schema version 999");
      expect(error.hint).toBe("install a newer inbox");
    }
    expect(await versionOf(url)).toEqual([{ version: 999 }]);
    expect(await stored(url, "select 1 from messages")).toEqual([]);
    await inbox.close();
  });

  test("[S2] a user that owns its schema and may make none can make the bus in it, and no other", async () => {
    const url = fresh();
    const [schema, user] = [made.at(-1)!, `owner_${process.pid}`];
    await administrator().unsafe(`create role ${user} login; create schema ${schema} authorization ${user}`);
    const asUser = (address: string) => address.replace(/\/\/[^@]*@/, `//${user}@`);
    try {
      expect(await createPostgres(asUser(url))).toBe(true);
      expect(await createPostgres(asUser(url))).toBe(false);
      const error = await refusal(createPostgres(asUser(fresh())));
      expect(error.code).toBe("storage");
      expect(error.hint).toContain("run bus.init() as that role");
    } finally {
      await administrator().unsafe(`drop owned by ${user} cascade; drop role ${user}`);
    }
  });

  test("[S2] without a bus every call reports that, and how to create one", async () => {
    const inbox = openInbox(fresh());
    const error = await refusal(inbox.call("messages.pending", { channel: "c" }));
    expect(error.code).toBe("not_initialized");
    expect(error.hint).toContain("bus.init({ db: ");
    await inbox.close();
  });
});
