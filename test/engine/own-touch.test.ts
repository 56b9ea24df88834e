/** The runtime drops a file's event that follows another within a millisecond: what that may swallow. */
import { expect, test } from "bun:test";
import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { append } from "../../src/bus/event.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openSqlite } from "../../src/engines/sqlite/engine.ts";
import { openWake } from "../../src/engines/sqlite/wake.ts";
import { agentTopic } from "../../src/sql/topics.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

test("[W1] [W5] what another writes right after a write of our own wakes us", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const [ours, theirs] = [openSqlite(path), openSqlite(path)];
  const write = (engine: Engine) =>
    engine.write(function* (tx) {
      yield* append(tx, { type: "agent.joined", source: "ada", now: yield* tx.clock() });
    });
  const subscription = ours.subscribe([agentTopic("ada")]);
  let heard = 0;
  for (; heard < 300; heard++) {
    await write(ours);
    await subscription.next({}); // our own is heard at once, without the file
    for (let turn = 0; turn < heard % 6; turn++) await new Promise(setImmediate);
    await write(theirs);
    await subscription.next({});
  }
  expect(heard).toBe(300);
  subscription.close();
  await Promise.all([ours.close(), theirs.close()]);
});

test.each(["a wake file is touched", "nobody announces a write"])(
  "[W1] a wait whose database failed once waits again after it could be asked: %s",
  async (how) => {
    using folder = temporaryFolder();
    const [wakes, log] = [join(folder.path, "wake"), join(folder.path, "log")];
    writeFileSync(log, "");
    let broken = false;
    let version = 0;
    const wake = openWake({
      folder: wakes,
      log,
      dataVersion() {
        if (broken) throw new Error("the disk did not answer");
        return ++version;
      },
    });
    const subscription = wake.subscribe([agentTopic("ada")]);
    const touch = () => {
      if (how === "a wake file is touched")
        for (const name of readdirSync(wakes)) appendFileSync(join(wakes, name), "x");
      else appendFileSync(log, "x");
    };
    const hears = () =>
      subscription.next({ atMost: 10 }).then(
        () => true,
        () => false,
      );
    broken = true;
    touch();
    await until("the wait fails", async () => !(await hears()));
    broken = false;
    touch();
    await until("the wait succeeds", hears);
    wake.close();
  },
);
