/** [G5] A bus moves between engines without loss: everything is there, and everything goes on. */
import { expect, test } from "bun:test";
import { busMigrate } from "../../src/admin/bus-migrate.ts";
import { bring, type Put } from "../../src/engines/copy.ts";
import { createBus, openEngine } from "../../src/engines/registry.ts";
import { tables } from "../../src/engines/tables.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { kinds } from "../support/places.ts";
import { postgresUrl } from "../support/postgres.ts";
import { fillRichly, goOn, keyed } from "../support/rich-bus.ts";

const move = (from: string, to: string) => busMigrate({ env: {}, cwd: "/nowhere" }, { from, to });
const all = Object.keys(kinds);
if (!postgresUrl) console.warn("SKIPPED: moving to and from Postgres, for TEST_POSTGRES names no server");

for (const [from, to] of all.flatMap((one) => all.map((other) => [one, other] as const)))
  test(`[G5] from ${from} to ${to}: every row and number is copied, and all work continues there`, async () => {
    await using source = await kinds[from]!();
    await using target = await kinds[to]!();
    const rich = await fillRichly(source.location);
    const before = await source.contents();
    for (const { name } of tables) expect([name, before[name]!.length > 0]).toEqual([name, true]);

    const moved = await move(source.location, target.location);
    expect(await source.contents()).toEqual(before);
    expect(await target.contents()).toEqual(before);
    const rows = Object.fromEntries(tables.map(({ name }) => [name, before[name]!.length]));
    expect(Object.fromEntries(moved.tables.map((table) => [table.name, table.rows]))).toEqual(rows);
    expect(moved.copied).toBe(moved.rows);
    expect(moved.busId).toBe(before.bus![0]!.bus_id as string);

    // Again: nothing is left to do, and both sides have the same checksum.
    const again = await move(source.location, target.location);
    expect(again).toMatchObject({ copied: 0, deleted: 0, rows: moved.rows, checksum: moved.checksum });

    const there = await goOn(target.location, rich);
    const here = await goOn(source.location, rich);
    expect(there).toEqual(here);
    expect(there.length).toBeGreaterThan(30);
    expect(Object.fromEntries(there)).toMatchObject({
      [`threads.send ${JSON.stringify(keyed[1])}`]: { deduplicated: true },
      owner: [{ agent: "w", scope: "worker", subAgent: false }, null],
    });
    const codes = there.map(([, answer]) => (answer as { code?: string } | null)?.code).filter(Boolean);
    expect(codes).toEqual(["conflict", "invalid_input", "cursor_expired", "lease_lost", "lease_conflict"]);
  });

for (const to of all)
  test(`[G5] to ${to}: no number is given twice, also of rows that are gone`, async () => {
    await using source = await kinds.file!();
    await using target = await kinds[to]!();
    await fillRichly(source.location);
    const { numbers, messages } = await source.contents();
    const last = Number(numbers!.find(({ name }) => name === "messages")!.last);
    expect(messages!.every((row) => Number(row.message_id) < last)).toBe(true);
    await move(source.location, target.location);
    const inbox = openInbox(target.location);
    expect((await inbox.call("messages.send", { channel: "c", content: "x", sender: "s" })).id).toBe(
      last + 1,
    );
    await inbox.close();
  });

for (const to of all)
  test(`[G5] to ${to}: run again after the source has changed, it copies what is new and deletes what is gone`, async () => {
    await using source = await kinds.file!();
    await using target = await kinds[to]!();
    await fillRichly(source.location);
    await move(source.location, target.location);
    const inbox = openInbox(source.location);
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "later" });
    await inbox.call("messages.ackAll", { channel: "requests", agent: "w" });
    await inbox.close();
    // A message and what refers to it: the order of the tables matters.
    await source.run("delete from artifacts where message_id = 1");
    await source.run("delete from messages where message_id = 1");
    await source.run("delete from thread_reads");
    await source.run(
      "delete from messages where message_id = (select max(message_id) from messages where thread_id is null)",
    );
    await source.run("update agents set last_seen_at = 'later' where name = 'w'");
    const moved = await move(source.location, target.location);
    expect(await target.contents()).toEqual(await source.contents());
    expect(moved.deleted).toBeGreaterThan(2);
    expect(moved.copied).toBeGreaterThan(4);
    expect(moved.copied).toBeLessThan(moved.rows / 2);
  });

for (const to of all)
  test(`[G5] [B4.7] to ${to}: run again after a token has moved to another thread, it copies that`, async () => {
    await using source = await kinds.file!();
    await using target = await kinds[to]!();
    await createBus(source.location);
    const inbox = openInbox(source.location);
    const send = (priority: "low" | "high") =>
      inbox.call("threads.send", { from: "lead", to: "w", subject: "s", priority });
    // A claim whose answer does not arrive is released, and granted another thread when it is repeated.
    const claim = async () =>
      inbox.hand("threads.claim", { agent: "w" }, { handOver: "00000000-0000-4000-8000-000000000001" });
    const [first] = [await send("low"), await send("high")];
    const lost = await claim();
    await move(source.location, target.location);
    await lost.release!({ seen: true });
    await inbox.call("threads.cancel", { agent: "lead", thread: lost.value.thread!.threadId });
    const { thread, lease } = (await claim()).value;
    expect([thread!.threadId, lease!.token]).toEqual([first.thread.threadId, lost.value.lease!.token]);
    await inbox.close();
    await move(source.location, target.location);
    expect(await target.contents()).toEqual(await source.contents());
  });

for (const to of all)
  test(`[G5] to ${to}: pages end by rows and by bytes, and holes of any size are closed`, async () => {
    await using source = await kinds.file!();
    await using target = await kinds[to]!();
    await fillRichly(source.location);
    const inbox = openInbox(source.location);
    for (let i = 0; i < 12; i++)
      await inbox.call("messages.send", {
        channel: "big",
        content: `${i}`.repeat(1_000_000).slice(0, 1_000_000),
        sender: "s",
      });
    await inbox.close();
    await source.run(`insert into agents (name, first_seen_at, last_seen_at) with recursive n(i) as (select 1 union all select i + 1 from n where i < 3999)
      select 'agent ' || i || case i % 3 when 0 then 'é' when 1 then '🚀' else 'Z' end, '', '' from n`);
    await move(source.location, target.location);
    expect(await target.contents()).toEqual(await source.contents());
    // More than a page is missing in the target, and more than a page is too much there.
    await target.run("delete from agents where name like 'agent 1%'");
    await source.run("delete from agents where name like 'agent 3%'");
    await source.run("delete from messages where to_agent = 'big' and message_id % 2 = 0");
    const moved = await move(source.location, target.location);
    expect(await target.contents()).toEqual(await source.contents());
    expect(moved).toMatchObject({ copied: 1111, deleted: 1117 });
  });

test("[G5] what refers to a row that is not there yet is left for the next time", async () => {
  await using source = await kinds.file!();
  await using target = await kinds.file!();
  await fillRichly(source.location);
  await createBus(target.location);
  const [from, to] = [openEngine(source.location), openEngine(target.location)];
  const put: Put = (work) => to.write(work);
  const [threads, messages] = ["threads", "messages"].map(
    (name) => tables.find((table) => table.name === name)!,
  );
  const plain = (await source.contents()).messages!.filter((row) => row.thread_id === null).length;
  expect(await bring(from, to, put, messages!)).toBe(plain);
  await bring(from, to, put, threads!);
  expect(await bring(from, to, put, messages!)).toBe((await source.count("messages")) - plain);
  await Promise.all([from.close(), to.close()]);
  expect((await target.contents()).messages).toEqual((await source.contents()).messages!);
});
