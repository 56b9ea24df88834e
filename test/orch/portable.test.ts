/**
 * [I5] [I6] The portable way, by which every system but Linux is asked, forced on Linux: what tells most. The whole suites run so
 * in `npm run prove -- portable`.
 */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { platformVariable } from "../../src/platform/portable.ts";
import { desk, run } from "../support/cli.ts";
import { begun, type Crew, crew, printed, queued, strikeAll } from "../support/crew.ts";
import { until } from "../support/until.ts";

const portable = { [platformVariable]: "portable" };
const portableCrew = () => crew("", undefined, portable);

const left = (team: Crew) =>
  team
    .processes()
    .map(({ command }) => command)
    .filter((command) => !/^orch supervise |^ps |receive/.test(command));

/** One that leaves its session, one whose parent is gone, and a supervisor and a keeper that are none. */
const scattered =
  "setsid sleep 1000 & (setsid sh -c '(sleep 1000 &)'); INBOX_SUPERVISOR=x setsid sleep 1000 & " +
  "INBOX_KEEP=y setsid sleep 1000 & echo before; touch ready; sleep 1000";

test.concurrent("[I5.3] [Q6] kill ends a whole tree and those that left it", async () => {
  using team = await portableCrew();
  await team.push("t", scattered);
  await team.orch("run");
  await begun(team, "ready");
  await team.orch("kill", "t", "enough");
  expect(await team.hear()).toMatchObject([{ success: false, error: 'killed by "main": enough' }]);
  await until("no keeper runs any more", () => !team.keepers().length);
  expect(left(team)).toEqual([]);
});

test.concurrent("[I5.2] [I5.3] [Q7] a killed keeper is seen to be dead, and what it left is ended", async () => {
  using team = await portableCrew();
  await team.push("t", scattered);
  await team.orch("run");
  await begun(team, "ready");
  await until("its keeper is known", () => team.task("t").keeper !== null);
  await printed(team, "t", "before");
  await strikeAll([...team.supervisors(), ...team.keepers()]);
  const [told] = await team.hear();
  expect(told).toMatchObject({ from: "t", success: false, partial: "before\n" });
  expect(left(team)).toEqual([]);
});

/** It has neither the mark nor the session of its task; then its parent ends, and nothing but memory leads to it. */
const slippery =
  "env -i setsid sh -c 'echo $$ >pid.new; mv pid.new pid; exec sleep 1000' & until [ -e go ]; do sleep 0.02; done; echo bye";

async function seen(team: Crew): Promise<number> {
  await begun(team, "pid");
  const pid = Number(readFileSync(join(team.path, "pid"), "utf8"));
  const file = join(`${team.db}-tasks`, "1/seen.json");
  await until("its keeper has seen it", () => {
    const noted = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as [number, string][]) : [];
    return noted.some(([number]) => number === pid);
  });
  return pid;
}

test.concurrent("[I5.3] what a keeper has seen stays the task's when its parent has ended", async () => {
  using team = await portableCrew();
  await team.push("t", slippery);
  await team.orch("run");
  await seen(team);
  await Bun.write(join(team.path, "go"), "");
  expect(await team.hear()).toMatchObject([{ success: true, text: "bye" }]);
  await until("no keeper runs any more", () => !team.keepers().length);
  expect(left(team)).toEqual([]);
});

test.concurrent("[I5.3] … also when the keeper is killed after that", async () => {
  using team = await portableCrew();
  await team.push("t", slippery);
  await team.orch("run");
  const pid = await seen(team);
  const others = team.processes().filter((one) => one.pid !== pid && !/^orch supervise /.test(one.command));
  await strikeAll(others);
  expect(await team.hear()).toMatchObject([{ from: "t", success: false }]);
  expect(left(team)).toEqual([]);
});

test("[I5] [Q16] twenty tasks at once are all run, once each", async () => {
  using team = await portableCrew();
  await queued(team, 20, 'echo "$INBOX_TASK" >>runs');
  await team.orch("run");
  await until(
    "every task has ended",
    async () => !(await team.ask("select 1 from tasks where status <> 'finished' limit 1")).length,
  );
  expect(await team.ask("select name from tasks where success = 0 or attempt <> 1")).toEqual([]);
  const runs = readFileSync(join(team.path, "runs"), "utf8").trim().split("\n");
  expect([runs.length, new Set(runs).size]).toEqual([20, 20]);
});

test.concurrent.each([
  { writer: "the same way", env: portable },
  { writer: "Linux's own way", env: {} },
])("[I6.1] [W5] a waiter without watches is woken by a process that writes $writer", async ({ env }) => {
  using bus = await desk({ env: portable });
  await bus.inbox("send", "--from", "leader", "--to", "worker", "--subject", "s");
  const waiter = bus.start("wait-reply", "thr_1", "--agent", "leader", "--json");
  await until("it waits", () => {
    const folder = `${bus.db}-wake`;
    return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith("here.leader."));
  });
  await run(["reply", "thr_1", "--from", "worker", "--body", "at last"], { cwd: bus.path, env });
  const answer = JSON.parse(await new Response(waiter.stdout).text());
  expect(answer.message.body).toBe("at last");
});
