/** Ctrl-C while waiting: nothing is consumed, and the shell sees 130. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Desk, desk, program, start } from "../support/cli.ts";
import { counts, rows } from "../support/stored.ts";
import { until, untilWatching } from "../support/until.ts";

const waits = [
  ["wait-reply", "thr_1", "--agent", "leader"],
  ["wait-reply", "thr_1", "--agent", "leader", "--json"],
  ["claim", "--agent", "idle", "--wait"],
  ["watch"],
  ["watch", "--follow"],
].map((args) => ({ command: args.join(" "), args }));

async function busWithThread(): Promise<Desk> {
  const bus = await desk();
  await bus.inbox("send", "--from", "leader", "--to", "worker", "--subject", "s");
  await bus.inbox("check", "--agent", "idle"); // known from before: who waits for the first time is an event
  return bus;
}

/** What the waiters wait for, once they have gone. */
async function bringEverything(bus: Desk): Promise<void> {
  expect((await bus.inbox("reply", "thr_1", "--from", "worker", "--body", "answer")).code).toBe(0);
  expect((await bus.inbox("send", "--from", "leader", "--to", "idle", "--subject", "work")).code).toBe(0);
}

describe.each(waits)("$command", ({ args }) => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "[W4] %s: it dies of it and consumes nothing",
    async (signal) => {
      using bus = await busWithThread();
      const before = counts(bus.db);
      const waiter = bus.start(...args);
      const output = [new Response(waiter.stdout).text(), new Response(waiter.stderr).text()];
      await untilWatching(waiter);
      waiter.kill(signal);
      await waiter.exited;
      expect(waiter.signalCode).toBe(signal);
      expect(await Promise.all(output)).toEqual(["", ""]);
      expect(counts(bus.db)).toEqual(before);

      await bringEverything(bus);
      expect(rows(bus.db, "select * from messages where acked_at is not null")).toEqual([]);
      expect(counts(bus.db)).toMatchObject({ leases: 0, thread_reads: 0 });
      const reply = await bus.inbox("wait-reply", "thr_1", "--agent", "leader", "--timeout-seconds", "5");
      expect(reply.json.message.body).toBe("answer");
      expect((await bus.inbox("claim", "--agent", "idle")).json.thread.thread_id).toBe("thr_2");
    },
  );
});

test("[C3] a shell reports 130 after Ctrl-C", async () => {
  using bus = await busWithThread();
  const shell = start(["wait-reply", "thr_1", "--agent", "leader"], {
    cwd: bus.path,
    program: ["bash", "-c", '"$0" "$@"; echo "code $?"', program],
  });
  const pid = Number(
    await until(
      "the shell has started the command",
      () => readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, "utf8").trim().split(" ")[0],
    ),
  );
  await untilWatching({ pid, exitCode: null });
  process.kill(pid, "SIGINT");
  expect(await new Response(shell.stdout).text()).toBe("code 130\n");
  expect(await shell.exited).toBe(0);
});
