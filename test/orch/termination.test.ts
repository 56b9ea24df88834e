/** [Q6] Hard termination: whatever a sub-agent has started is gone when its end is told. */
import { expect, spyOn, test } from "bun:test";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { markName } from "../../src/orch/find-tree.ts";
import { brandFor, killLeft } from "../../src/orch/kill-tree.ts";
import { brandSelf } from "../../src/platform/processes/brand.ts";
import { isDead, statOf } from "../../src/platform/processes/processes.ts";
import { begun, type Crew, crew, outOfTime } from "../support/crew.ts";
import { temporaryFolder } from "../support/folder.ts";
import { clearing, holdsAll } from "../support/platform.ts";
import { until } from "../support/until.ts";

const cleared = holdsAll ? "cleared its environment and " : "";

/** Programs that do not want to end. Each says `ready` in a file of that name once all of it runs. */
const stubborn: Record<string, string> = {
  "ignores SIGTERM": "trap '' TERM INT HUP; touch ready; while :; do sleep 1000; done",
  "left its group": "setsid sleep 1000 & touch ready; sleep 1000",
  [`${cleared}left its session`]: `${clearing} /usr/bin/setsid sh -c 'sleep 1000 & sleep 1000 & touch ready' & wait; sleep 1000`,
  "was forked twice and its parent is gone": `(${clearing} setsid sh -c '(sleep 1000 &) ; (sleep 1000 &)'); touch ready; sleep 1000`,
  "calls itself a supervisor, or a keeper":
    "INBOX_SUPERVISOR=x setsid sleep 1000 & INBOX_KEEP=y setsid sleep 1000 & echo 'sleep 1000' >supervise; " +
    "INBOX_SUPERVISOR=x setsid sh supervise --db $INBOX_DB & touch ready; sleep 1000",
  "holds the output open": "(trap '' TERM; sleep 1000) & touch ready; exec sleep 1000",
  "is a crowd of a hundred":
    "i=0; while [ $i -lt 100 ]; do setsid sleep 1000 & i=$((i+1)); done; touch ready; sleep 1000",
  "starts another for each that ends":
    "touch ready; while :; do setsid sleep 1000 & kill -9 $! ; (setsid sleep 1000 &); sleep 0.01; done",
};

/** What is left of a task, apart from those that serve the whole bus. */
const left = (team: Crew) =>
  team
    .processes()
    .filter(({ command }) => !/^orch supervise |receive/.test(command))
    .map((one) => one.command);

for (const [what, command] of Object.entries(stubborn)) {
  test.concurrent(`[Q6] a timeout ends one that ${what}, and nothing is left of it`, async () => {
    using team = await crew();
    const { told, seconds } = await outOfTime(team, { file: "ready", seconds: 3 }, (timeout) =>
      team.push("t", `echo before; ${command}`, timeout),
    );
    // The keeper itself ends right after it has told.
    await until("no keeper runs any more", () => !team.keepers().length);
    expect(left(team)).toEqual([]);
    expect(told).toMatchObject({ from: "t", success: false, partial: "before" });
    expect(told!.error).toContain(`exceeded its timeout of ${seconds} seconds`);
  });

  test.concurrent(`[Q3] kill ends one that ${what}, and nothing is left of it`, async () => {
    using team = await crew();
    await team.push("t", `echo before; ${command}`);
    await team.orch("run");
    await begun(team, "ready");
    expect((await team.orch("kill", "t", "enough")).json.killed).toEqual(["t"]);
    const [told] = await team.hear();
    await until("no keeper runs any more", () => !team.keepers().length);
    expect(left(team)).toEqual([]);
    expect(told).toMatchObject({ success: false, error: 'killed by "main": enough', partial: "before" });
  });

  test.concurrent(`[Q5] when one that ${what} ends, no process of it is left`, async () => {
    using team = await crew();
    // The last one of the line is its own main program; it goes, and leaves the others.
    await team.push(
      "t",
      `sh -c "${command.replaceAll('"', '\\"').replaceAll("$", "\\$")}" & until [ -e ready ]; do sleep 0.01; done; echo bye`,
    );
    await team.orch("run");
    const [told] = await team.hear();
    await until("no keeper runs any more", () => !team.keepers().length);
    expect(left(team)).toEqual([]);
    expect(told).toMatchObject({ success: true, text: "bye" });
  });
}

test.concurrent("[Q3] [T8] cancelling its thread ends a sub-agent, and delivers the failure", async () => {
  using team = await crew();
  await team.push("t", "echo before; touch ready; setsid sleep 1000 & sleep 1000");
  await team.orch("run");
  await begun(team, "ready");
  const thread = String((await team.orch("show", "t")).json.task.thread_id);
  expect((await team.inbox("cancel", "--agent", "main", "--thread", thread, "--reason", "no")).code).toBe(0);
  const results = await team.hear();
  await until("no keeper runs any more", () => !team.keepers().length);
  expect(left(team)).toEqual([]);
  expect(results).toMatchObject([{ from: "t", success: false, error: "its thread was cancelled" }]);
});

test.concurrent("[Q3] [Q4] killing a parent kills the tree below it, five levels deep, and lists it", async () => {
  using team = await crew();
  const nested = (level: number): string => {
    if (level === 5) return "touch ready; setsid sleep 1000 & sleep 1000";
    const script = `orch push name=level${level + 1} -- "$NEXT" && orch run && inbox receive --timeout-seconds 500`;
    return `NEXT=$(cat <<'END${level}'\n${nested(level + 1)}\nEND${level}\n); ${script}`;
  };
  await team.push("level1", nested(1));
  await team.orch("run");
  await begun(team, "ready");
  const { killed } = (await team.orch("kill", "level1")).json;
  expect(killed).toEqual(["level1", "level2", "level3", "level4", "level5"]);
  const [told] = await team.hear();
  expect(told).toMatchObject({ from: "level1", success: false, error: 'killed by "main"' });
  await until("no keeper runs any more", () => !team.keepers().length);
  expect(left(team)).toEqual([]);
  const { finished } = (await team.orch("queue", "--all")).json;
  const errors = Object.fromEntries(finished.map(({ name, error }: Record<string, string>) => [name, error]));
  for (let level = 2; level <= 5; level++)
    expect(errors[`level${level}`]).toBe(`killed by "main": its parent "level${level - 1}" was killed`);
});

test.concurrent("[Q4] [Q7] a supervisor that a sub-agent's command started outlives that sub-agent", async () => {
  using team = await crew();
  await team.push("first", "touch ready; until [ -e go ]; do sleep 0.02; done; inbox list >list; echo one");
  await team.push("second", "until [ -e on ]; do sleep 0.02; done; echo two");
  await team.orch("run", "1");
  await begun(team, "ready");
  const before = team.supervisors();
  for (const { pid } of before) process.kill(pid, "SIGKILL");
  // As if its lease had run out.
  team.change("delete from supervision");
  await Bun.write(`${team.path}/go`, "");
  await until("another supervisor runs", () =>
    team.supervisors().some(({ pid }) => !before.some((one) => one.pid === pid)),
  );
  expect(await team.hear()).toMatchObject([{ from: "first", success: true, text: "one" }]);
  await Bun.write(`${team.path}/on`, "");
  expect(await team.hear()).toMatchObject([{ from: "second", success: true, text: "two" }]);
});

test("[Q6] [Q7] what a keeper had just forked when it died is ended, and so is what calls itself another's keeper", async () => {
  const mark = crypto.randomUUID();
  const bearing = (INBOX_KEEP: string) =>
    Bun.spawn(["sleep", "1000"], { env: { INBOX_KEEP, INBOX_KEEPER: mark } });
  // Until it becomes its program it has the keeper's own environment.
  await using forked = bearing(mark);
  await using other = bearing(crypto.randomUUID());
  await killLeft({ mark, bus: "none" });
  await Promise.all([forked.exited, other.exited]);
  expect([forked.signalCode, other.signalCode]).toEqual(["SIGKILL", "SIGKILL"]);
});

test("[Q6] time in which this process was suspended does not count: processes started meanwhile are ended", async () => {
  const mark = crypto.randomUUID();
  const begin = () => Bun.spawn(["sleep", "1000"], { env: { [markName]: mark } });
  await using slow = begin();
  let meanwhile: ReturnType<typeof begin> | undefined;
  const { kill } = process;
  const { now } = performance;
  let strokes = 0;
  // It takes the first stroke; with the second this process stands still for a while.
  using _kill = spyOn(process, "kill").mockImplementation((pid, signal) => {
    if (pid === slow.pid && ++strokes === 1) return true;
    if (strokes === 2) meanwhile ??= begin();
    return kill.call(process, pid, signal);
  });
  using _now = spyOn(performance, "now").mockImplementation(
    () => now.call(performance) + (meanwhile ? 60_000 : 0),
  );
  await killLeft({ mark, bus: "none" });
  const isGone = [slow.pid, meanwhile!.pid].map((pid) => {
    const stat = statOf(pid);
    return stat === undefined || isDead(stat);
  });
  meanwhile!.kill("SIGKILL");
  expect(isGone).toEqual([true, true]);
});

test("[Q6] [Q7] an orphan that has cleared its environment is found by the session it shares with one that has not", async () => {
  using folder = temporaryFolder();
  const mark = crypto.randomUUID();
  const script = "(env -i sh -c 'echo $$ >pid; exec sleep 1000' &); exec sleep 1000";
  await using first = Bun.spawn(["sh", "-c", script], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, [markName]: mark },
    detached: true,
  });
  const file = join(folder.path, "pid");
  const orphan = await until("the orphan has written its number", () =>
    existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined,
  );
  await killLeft({ mark, bus: "none" });
  await first.exited;
  const stat = statOf(orphan);
  expect(stat === undefined || isDead(stat)).toBe(true);
});

test.if(holdsAll)(
  "[Q6] [Q7] one that starts its successor and ends, again and again, does not get away",
  async () => {
    using team = await crew();
    const hop = join(team.path, "hop");
    await Bun.write(hop, '#!/bin/sh\necho >> hops\nsetsid "$0" &\n');
    chmodSync(hop, 0o755);
    for (let i = 0; i < 10; i++) {
      const mark = crypto.randomUUID();
      brandFor(mark);
      await Bun.spawn([hop], { cwd: team.path, stdio: ["ignore", "ignore", "ignore"] }).exited;
      brandSelf();
      await killLeft({ mark, bus: "none" });
      expect(left(team)).toEqual([]);
    }
  },
);
