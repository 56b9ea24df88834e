/** What a sleeping waiter would do with a change is done in the transaction that brings it. */
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { append } from "../../src/bus/event.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { operationNamed } from "../../src/contract/operations/index.ts";
import type { Engine, Work } from "../../src/engines/engine.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openSqlite } from "../../src/engines/sqlite/engine.ts";
import { type Caller, engineFor } from "../../src/inbox/access.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { one } from "../../src/sql/procedure.ts";
import { sql } from "../../src/sql/sql.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

const joined = (engine: Engine, source: string) => engine.write(joining(source));
const joining = (source: string): Work<void> =>
  function* (tx) {
    yield* append(tx, { type: "agent.joined", source, now: yield* tx.clock() });
  };
const eventsOf = (source: string): Work<number> =>
  function* () {
    const row = yield* one<{ count: number }>(
      sql`select count(*) as count from events where events.source = ${source}`,
    );
    return row!.count;
  };

async function withEngine(work: (engine: Engine, path: string) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const engine = openSqlite(path);
  await work(engine, path);
  await engine.close();
}

/** Each commit appends a byte. */
const commitsOf = (path: string) => statSync(`${path}-wake/begun-1024`, { throwIfNoEntry: false })?.size ?? 0;

test("[W1] a waiter has what it did with the change, which is committed with it", () =>
  withEngine(async (engine, path) => {
    const subscription = engine.mail("ada");
    const taken = subscription.next<number>({
      *take(tx) {
        yield* joining("taken")(tx);
        return yield* eventsOf("ada")(tx);
      },
    });
    await joined(engine, "ada");
    expect(await taken).toBe(1);
    expect(commitsOf(path)).toBe(1);
    expect(await engine.read(eventsOf("taken"))).toBe(1);
    subscription.close();
  }));

test("[W1] a waiter that has nothing to do with it is woken, and so is one whose work fails; the write stays", () =>
  withEngine(async (engine) => {
    const subscription = engine.mail("ada");
    const nothing = subscription.next({ take: () => eventsOf("nobody") as never });
    await joined(engine, "bob");
    expect(await Promise.race([nothing, Bun.sleep(50).then(() => "asleep")])).toBe("asleep");
    subscription.close();
    for (const fails of [true, false]) {
      const again = engine.mail("ada");
      const woken = again.next<string>({
        *take(tx) {
          yield* joining("half")(tx);
          if (fails) throw new Error("it fails");
          return undefined;
        },
      });
      await joined(engine, "ada");
      expect(await woken).toBeUndefined();
      again.close();
    }
    expect(await engine.read(eventsOf("ada"))).toBe(2);
    expect(await engine.read(eventsOf("half"))).toBe(1);
  }));

test("[X10] what a waiter may not do is not done for it either", () =>
  withEngine(async (engine) => {
    const list = operationNamed("mailbox.list") as AnyOperation;
    const caller: Caller = { agent: "ada", scope: "worker" };
    const takenOf = async (inbox: string) => {
      const as = engineFor(engine, caller, list, { agent: inbox });
      const subscription = as.mail("ada");
      const taken = subscription.next<number>({ take: as.asCaller(eventsOf("ada")) });
      await joined(engine, "ada");
      subscription.close();
      return taken;
    };
    expect(await takenOf("user")).toBeUndefined();
    expect(await takenOf("ada")).toBe(2);
  }));

test("[G5] a batch that has to be repeated has done the waiter's work once", () =>
  withEngine(async (engine) => {
    const subscription = engine.mail("ada");
    const taken = subscription.next<number>({
      *take(tx) {
        yield* joining("taken")(tx);
        return yield* eventsOf("taken")(tx);
      },
    });
    const failing = engine.write(function* (tx) {
      yield* joining("failed")(tx);
      throw new Error("it fails after it has written");
    });
    await Promise.all([joined(engine, "ada"), failing.catch(() => {})]);
    expect(await taken).toBe(1);
    expect(await engine.read(eventsOf("taken"))).toBe(1);
    expect(await engine.read(eventsOf("failed"))).toBe(0);
    subscription.close();
  }));

test("[B1] [B4] of two who wait for the same mail one gets it, with the commit that sent it; the other waits on", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const inbox = openInbox(path, { supervised: true });
  const receive = () => inbox.hand("mailbox.receive", { agent: "ada", timeoutSeconds: 5 });
  await inbox.call("mailbox.send", { from: "bob", to: "ada", message: "before" });
  await inbox.call("mailbox.check", { agent: "ada" });
  const [first, second] = [receive(), receive()];
  await until("both sleep", async () => (await inbox.engine.attending()).has("ada"));
  const before = commitsOf(path);
  await inbox.call("mailbox.send", { from: "bob", to: "ada", message: "one" });
  const got = await Promise.race([first, second]);
  expect(commitsOf(path)).toBe(before + 1);
  expect(got.value.messages.map(({ message }) => message)).toEqual(["one"]);
  await inbox.call("mailbox.send", { from: "bob", to: "ada", message: "two" });
  const both = await Promise.all([first, second]);
  expect(both.flatMap(({ value }) => value.messages.map(({ message }) => message)).sort()).toEqual([
    "one",
    "two",
  ]);
  await Promise.all(both.map(({ confirm }) => confirm?.()));
  await inbox.close();
});
