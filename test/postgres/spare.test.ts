/** [G1] Connections that go from one contract test to the next (test/support/spare.ts). */
import { expect, test } from "bun:test";
import { busId } from "../../src/bus/outbox.ts";
import type { Engine, Spare } from "../../src/engines/engine.ts";
import type { Connection } from "../../src/engines/postgres/connection.ts";
import { openPostgres } from "../../src/engines/postgres/engine.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { administrator, temporarySchema } from "../support/postgres.ts";
import { postgresSuite } from "../support/postgres-suite.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/until.ts";

postgresSuite("spare connections", () => {
  test("[G1] a call after the end is refused, and uses no connection that another caller has by now", async () => {
    using place = await temporarySchema();
    const left: Connection[] = [];
    const spare: Spare = { take: () => left.shift(), leave: (_, one) => void left.push(one as Connection) };
    const closed = openPostgres(place.url, { spare });
    const look = (engine: Engine) => engine.read(() => busId());
    const known = await look(closed);
    await closed.close();
    const next = openPostgres(place.url, { spare });
    expect(await look(next)).toBe(known);
    const { code, message } = await refusal(look(closed));
    expect([code, message]).toEqual(["storage", expect.stringContaining("closed")]);
    await next.close();
    await Promise.all(left.map((connection) => connection.close()));
  });

  test("[G1] the next engine finds them without a transaction, a lock or an ear, and none that was lost", async () => {
    using place = await temporarySchema();
    const left: Connection[] = [];
    const spare: Spare = {
      take: () => left.shift(),
      leave: (_, connection) => void left.push(connection as Connection),
    };
    const use = async () => {
      const inbox = openInbox(place.url, { spare });
      const waits = inbox.call("mailbox.receive", { agent: "w", timeoutSeconds: 30 });
      await inbox.call("mailbox.send", { from: "lead", to: "w", message: "m" });
      expect((await waits).messages).toHaveLength(1);
      await inbox.close();
    };
    const pids = async () => {
      const found: unknown[] = [];
      for (const connection of left) {
        const [row] = await connection.run(
          // What begins with a comment goes as one message: in a transaction of its own both times are the same.
          `/* alone */ select pg_backend_pid() as pid, now() = statement_timestamp() as alone,
             (select count(*)::int from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks,
             (select count(*)::int from pg_listening_channels()) as heard`,
        );
        expect(row).toMatchObject({ alone: true, locks: 0, heard: 0 });
        found.push(row!.pid);
      }
      return found as number[];
    };
    await use();
    const first = await pids();
    expect(first.length).toBeGreaterThan(0);
    await use();
    const second = await pids();
    expect(second).toEqual(expect.arrayContaining(first));
    await administrator()`select pg_terminate_backend(pid) from unnest(${second}::int[]) as pid`;
    await until("all of them are lost", () => left.every(({ lost }) => lost));
    await use();
    for (const pid of await pids()) expect(second).not.toContain(pid);
    await Promise.all(left.map((connection) => connection.close()));
  });
});
