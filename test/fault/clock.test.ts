/** [L8] Two processes on one file, one of which has a clock that is an hour ahead. */
import { expect, test } from "bun:test";
import { desk, run } from "../support/cli.ts";
import { anHourAhead } from "../support/faketime.ts";

test.skipIf(!anHourAhead)(
  "[L8] [L1] a process whose clock is an hour ahead takes over no lease that is held",
  async () => {
    using bus = await desk();
    const ahead = (...args: string[]) => run([...args, "--json", "--db", bus.db], { env: anHourAhead });
    await bus.inbox("send", "--from", "lead", "--to", "crew", "--subject", "s");
    await bus.inbox("claim", "thr_1", "--agent", "w");
    const taken = await ahead("claim", "thr_1", "--agent", "v");
    expect([taken.code, taken.json.error.code]).toEqual([20, "lease_conflict"]);
    const { json } = await ahead("send", "--from", "lead", "--to", "v", "--subject", "other");
    expect(Date.parse(json.thread.created_at) - Date.now()).toBeLessThan(60_000);
    const lease = (await ahead("claim", "thr_2", "--agent", "v")).json.lease;
    // Its own lease lasts 900 seconds by the clock of all.
    expect(Date.parse(lease.expires_at) - Date.now()).toBeLessThan(1000_000);
  },
);
