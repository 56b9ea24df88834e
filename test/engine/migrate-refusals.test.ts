/** [G5] What `inbox migrate` refuses, and that a refusal changes nothing. */
import { expect, test } from "bun:test";
import { linkSync } from "node:fs";
import { join } from "node:path";
import { busMigrate } from "../../src/admin/bus-migrate.ts";
import { createBus } from "../../src/engines/registry.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { root, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fileSpot, kinds, serverSpot } from "../support/places.ts";
import { postgresUrl } from "../support/postgres.ts";
import { refusal } from "../support/refusal.ts";

const move = (from: string, to: string, cwd = "/nowhere") => busMigrate({ env: {}, cwd }, { from, to });
const all = Object.keys(kinds);

async function sendTo(location: string, content: string): Promise<void> {
  await createBus(location);
  const inbox = openInbox(location);
  await inbox.call("messages.send", { channel: "c", content, sender: "s" });
  await inbox.close();
}

for (const to of all)
  test(`[G5] to ${to}: a target with another bus is refused and not changed; an empty initialised one is accepted`, async () => {
    await using source = await fileSpot();
    await using other = await kinds[to]!();
    await using empty = await kinds[to]!();
    await sendTo(source.location, "mine");
    await sendTo(other.location, "another's");
    const before = await other.contents();
    const error = await refusal(move(source.location, other.location));
    expect([error.code, error.message]).toEqual([
      "conflict",
      expect.stringContaining("contains another bus"),
    ]);
    expect(await other.contents()).toEqual(before);
    await createBus(empty.location);
    await move(source.location, empty.location);
    expect(await empty.contents()).toEqual(await source.contents());
  });

for (const to of all)
  test(`[G5] to ${to}: a copy that has been used since is not overwritten; the way back is open`, async () => {
    await using source = await fileSpot();
    await using target = await kinds[to]!();
    await sendTo(source.location, "before");
    await move(source.location, target.location);
    await sendTo(target.location, "after the move");
    const [here, there] = [await source.contents(), await target.contents()];
    const error = await refusal(move(source.location, target.location));
    expect([error.code, error.message]).toEqual(["conflict", expect.stringContaining("has been used since")]);
    // Also where both went on, and have the same numbers.
    await sendTo(source.location, "too");
    expect((await refusal(move(source.location, target.location))).code).toBe("conflict");
    expect((await refusal(move(target.location, source.location))).code).toBe("conflict");
    expect(await target.contents()).toEqual(there);
    await using back = await fileSpot();
    await move(target.location, back.location);
    expect(await back.contents()).toEqual(there);
    expect(there).not.toEqual(here);
    await sendTo(target.location, "more");
    await move(target.location, back.location);
    expect(await back.contents()).toEqual(await target.contents());
  });

for (const to of all)
  test(`[G5] to ${to}: of two sources that are copied there at once at most one arrives, and arrives whole`, async () => {
    for (let round = 0; round < 5; round++) {
      await using one = await fileSpot();
      await using two = await fileSpot();
      await using target = await kinds[to]!();
      for (const { location } of [one, two]) await sendTo(location, location);
      const settled = await Promise.allSettled(
        [one, two].map(({ location }) => move(location, target.location)),
      );
      const arrived = [one, two].filter((_, i) => settled[i]!.status === "fulfilled");
      expect(arrived.length).toBe(1);
      const { numbers, ...rows } = await target.contents();
      const { numbers: ours, ...expected } = await arrived[0]!.contents();
      expect(rows).toEqual(expected);
      expect(numbers).toEqual(ours);
      const [failed] = settled.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
      expect(failed!.reason).toMatchObject({ code: "conflict" });
    }
  });

test("[G5] from and to the same place is refused, by whatever name it is called", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  await sendTo(path, "x");
  linkSync(path, join(folder.path, "hard.db"));
  for (const name of ["coord.db", "./coord.db", path, "hard.db"]) {
    const error = await refusal(move("coord.db", name, folder.path));
    expect([name, error.code, error.message]).toEqual([
      name,
      "invalid_input",
      expect.stringContaining("the same bus"),
    ]);
  }
});

test.skipIf(!postgresUrl)("[G5] a server by another name is the same place", async () => {
  await using spot = await serverSpot();
  await sendTo(spot.location, "x");
  const other = spot.location.replace("127.0.0.1", "localhost").replace("postgres://", "postgresql://");
  expect((await refusal(move(spot.location, other))).message).toContain("the same bus");
  await using elsewhere = await serverSpot();
  await move(spot.location, elsewhere.location);
});

test("[G5] a source that is not there is not_initialized, and nothing is made", async () => {
  for (const kind of all) {
    await using source = await kinds[kind]!();
    for (const to of all) {
      await using target = await kinds[to]!();
      expect((await refusal(move(source.location, target.location))).code).toBe("not_initialized");
      expect([await source.exists(), await target.exists()]).toEqual([false, false]);
    }
  }
});

test("[G5] hubs, strange addresses and --db are refused with what to do", async () => {
  await using source = await fileSpot();
  await sendTo(source.location, "x");
  const wrong: [string, string, string][] = [
    ["http://127.0.0.1:1", source.location, "is a hub"],
    [source.location, "https://hub.example", "is a hub"],
    [source.location, "mysql://h/db", "not mysql://"],
    [source.location, "postgres://h/db?schema=No", "schema=No"],
  ];
  for (const [from, to, text] of wrong) {
    const error = await refusal(move(from, to));
    expect([to, error.code, error.message]).toEqual([to, "invalid_input", expect.stringContaining(text)]);
  }
  const named = busMigrate({ db: "x.db", env: {}, cwd: "/nowhere" }, { from: source.location, to: "y.db" });
  expect((await refusal(named)).message).toContain("does not take");
});

const program = [
  process.execPath,
  `--config=${join(root, "bunfig.toml")}`,
  "--no-env-file",
  join(root, "src/main.ts"),
];

test.skipIf(!postgresUrl)(
  "[G5] people see a table, programs JSON, and no output shows a password",
  async () => {
    await using source = await fileSpot();
    await using target = await serverSpot();
    await sendTo(source.location, "x");
    const to = target.location.replace("postgres@", "postgres:secret@");
    const human = await run(["migrate", "--from", source.location, "--to", to], { program });
    expect([human.code, human.stderr]).toEqual([0, ""]);
    expect(human.stdout).toMatch(/^TABLE +ROWS +COPIED +DELETED\n/);
    expect(human.stdout).toMatch(/\nmessages +1 +1 +0\n/);
    expect(human.stdout).toContain(`is the same as ${source.location}`);
    const back = await run(["migrate", "--from", to, "--to", `${source.location}2`, "--json"], { program });
    expect(back.json).toMatchObject({ ok: true, command: "migrate", to: `${source.location}2`, deleted: 0 });
    expect(back.json.bus_id).toMatch(/^[0-9a-f]{32}$/);
    await sendTo(target.location, "used");
    const refused = await run(["migrate", "--from", source.location, "--to", to], { program });
    expect(refused.code).toBe(20);
    for (const { stdout, stderr } of [human, back, refused]) expect(stdout + stderr).not.toContain("secret");
  },
);
