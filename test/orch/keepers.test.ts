/** [Q17] A keeper takes one task after another: each is as if it had a keeper to itself. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killBelow } from "../../src/orch/kill-tree.ts";
import { spawnPiped } from "../../src/orch/spawn.ts";
import { identityOf, isStopped } from "../../src/platform/processes/processes.ts";
import { begun, type Crew, crew, printed, strike, strikeAll } from "../support/crew.ts";
import { served } from "../support/hub.ts";
import { clearing } from "../support/platform.ts";
import { until } from "../support/until.ts";

const keeperOf = (team: Crew, name: string) => Number(String(team.task(name).keeper).split(":")[0]);

/** Not in the middle of a write, for which everybody would wait. */
async function standStill({ pid }: { pid: number }, db: string): Promise<void> {
  using held = new Database(db);
  held.run("pragma busy_timeout = 5000");
  held.run("begin immediate");
  strike(pid, "SIGSTOP");
  await until("it stands still", () => isStopped(identityOf(pid)));
  held.run("rollback");
}

/** Runs it to its end, and answers with what its parent is told. */
async function outcome(team: Crew, name: string, command: string, ...more: string[]) {
  await team.push(name, command, ...more);
  await team.orch("run");
  const [told] = await team.hear();
  return told!;
}

test.concurrent("[Q17] the next task has the same keeper, and an environment and a folder of its own", async () => {
  using team = await crew(
    '[runners.secret]\ncommand = ["sh", "-c", "{prompt}"]\nenv = { SECRET = "of the first" }\n',
  );
  await using _hub = await served(team.db);
  const elsewhere = join(team.path, "elsewhere");
  mkdirSync(elsewhere);
  const show = 'echo "$INBOX_TASK $INBOX_AGENT $(printenv SECRET || echo none) $(pwd)"';
  await team.push("first", show, "profile=secret", `cwd=${elsewhere}`);
  await team.push("second", show);
  // One after the other, without a pause: a keeper that has nothing to do leaves after five seconds.
  await team.orch("run", "1");
  expect(await team.hear()).toMatchObject([{ text: `first first of the first ${elsewhere}` }]);
  expect(await team.hear()).toMatchObject([{ text: `second second none ${team.path}` }]);
  expect(keeperOf(team, "second")).toBe(keeperOf(team, "first"));
  const log = (name: string) =>
    readFileSync(join(String(team.task(name).folder), "transcript.jsonl"), "utf8");
  expect(log("first")).not.toContain("second second");
  expect(log("second")).not.toContain("of the first ");
});

test.concurrent("[Q17] a supervisor that stood still while a keeper got through hands it the next task", async () => {
  using team = await crew();
  await using hub = await served(team.db);
  const names = Array.from({ length: 6 }, (_, i) => `t${i}`);
  await team.push("t0", "touch ready; until [ -e t0.go ]; do sleep 0.02; done");
  for (const name of names.slice(1)) await team.push(name, `until [ -e ${name}.go ]; do sleep 0.02; done`);
  await team.orch("run", "1");
  await begun(team, "ready");
  for (const name of names) {
    await until(`${name} is kept`, () => team.task(name).keeper !== null);
    await standStill(hub, team.db);
    writeFileSync(join(team.path, `${name}.go`), "");
    await until(`${name} has ended`, () => team.task(name).status === "finished");
    hub.kill("SIGCONT");
  }
  expect(names.map((name) => keeperOf(team, name))).toEqual(names.map(() => keeperOf(team, "t0")));
});

test.concurrent("[Q17] [Q16] tasks that are run through a few slots have as few keepers", async () => {
  using team = await crew();
  await using _hub = await served(team.db);
  const names = Array.from({ length: 12 }, (_, i) => `t${i}`);
  for (const name of names) await team.push(name, "echo $INBOX_TASK");
  await team.orch("run", "1");
  const told: string[] = [];
  while (told.length < names.length) told.push(...(await team.hear()).map(({ text }) => text));
  expect(told).toEqual(names);
  const keepers = new Set(names.map((name) => keeperOf(team, name)));
  // A supervisor that hears of an end before the keeper's own word starts another one.
  expect(keepers.size).toBeLessThan(names.length / 2);
});

test.concurrent("[Q17] a keeper whose task was ended by force takes no other", async () => {
  using team = await crew();
  await using _hub = await served(team.db);
  await team.push("first", "touch ready; sleep 1000");
  await team.orch("run");
  await begun(team, "ready");
  await team.orch("kill", "first");
  expect(await team.hear()).toMatchObject([{ from: "first", success: false }]);
  expect(await outcome(team, "second", "echo two")).toMatchObject({ success: true, text: "two" });
  expect(keeperOf(team, "second")).not.toBe(keeperOf(team, "first"));
});

test.concurrent("[Q17] what a task leaves is gone before its keeper takes the next, which is not touched", async () => {
  using team = await crew();
  await using _hub = await served(team.db);
  const leaving = `(${clearing} setsid sleep 1000 &); setsid sleep 1000 & echo bye`;
  expect(await outcome(team, "first", leaving)).toMatchObject({ success: true, text: "bye" });
  await team.push("second", "touch ready; until [ -e go ]; do sleep 0.02; done; echo two");
  await team.orch("run");
  await begun(team, "ready");
  const sleeping = () => team.processes().filter(({ command }) => command === "sleep 1000");
  expect(sleeping()).toEqual([]);
  writeFileSync(join(team.path, "go"), "");
  expect(await team.hear()).toMatchObject([{ from: "second", success: true, text: "two" }]);
  expect(sleeping()).toEqual([]);
});

test.concurrent("[Q17] [Q7] a keeper is killed in its second task: that one is lost, the first was reported once", async () => {
  using team = await crew();
  await using _hub = await served(team.db);
  expect(await outcome(team, "first", "echo one")).toMatchObject({ success: true, text: "one" });
  await team.push("second", "echo half; touch ready; sleep 1000");
  await team.orch("run");
  await begun(team, "ready");
  await until("its keeper is known", () => team.task("second").keeper !== null);
  await printed(team, "second", "half");
  await strikeAll([{ pid: keeperOf(team, "second") }]);
  const [told] = await team.hear();
  expect(told).toMatchObject({ from: "second", success: false, partial: "half\n" });
  expect(told!.error).toContain("it was lost: its keeper process");
  expect(await outcome(team, "third", "echo three")).toMatchObject({ success: true, text: "three" });
});

test.concurrent("[Q17] [Q7] a keeper dies with a task that it was handed and had not begun: another runs it, once", async () => {
  using team = await crew();
  await using _hub = await served(team.db);
  await team.push("first", "until [ -e go ]; do sleep 0.02; done; echo one");
  await team.orch("run");
  await team.push("second", "echo x >>runs; echo two");
  writeFileSync(join(team.path, "go"), "");
  await until("the first has ended", () => team.task("first").status === "finished");
  const keeper = keeperOf(team, "first");
  // It leaves in five seconds: from here on there is one command.
  await standStill({ pid: keeper }, team.db);
  await team.orch("run");
  await until("it was handed over", () => team.task("second").status === "running");
  expect(team.task("second").keeper).toBeNull();
  strike(keeper);
  expect(await team.hear()).toMatchObject([{ from: "first", success: true }]);
  expect(await team.hear()).toMatchObject([{ from: "second", success: true, text: "two" }]);
  expect(readFileSync(join(team.path, "runs"), "utf8")).toBe("x\n");
  expect(team.task("second").attempt).toBe(1);
  expect(keeperOf(team, "second")).not.toBe(keeper);
});

test.concurrent("[Q17] [Q7] a supervisor is killed: a keeper without a task ends, one with a task reports", async () => {
  using team = await crew();
  await team.push("long", "touch ready; until [ -e go ]; do sleep 0.02; done; echo long");
  await team.push("short", "echo short");
  await team.orch("run");
  await begun(team, "ready");
  expect(await team.hear()).toMatchObject([{ from: "short", success: true }]);
  await until("the long one's keeper is known", () => team.task("long").keeper !== null);
  await strikeAll(team.supervisors());
  const busy = keeperOf(team, "long");
  await until("only the busy keeper is left", () => team.keepers().every(({ pid }) => pid === busy));
  writeFileSync(join(team.path, "go"), "");
  expect(await team.hear()).toMatchObject([{ from: "long", success: true, text: "long" }]);
  await until("no keeper runs any more", () => !team.keepers().length);
});

test.concurrent("[Q17] under a hub, which never ends, a keeper that has nothing to do leaves after a while", async () => {
  using team = await crew();
  await using _hub = await served(team.db);
  expect(await outcome(team, "t", "echo one")).toMatchObject({ success: true });
  await until("no keeper runs any more", () => !team.keepers().length);
  expect(await outcome(team, "u", "echo two")).toMatchObject({ success: true, text: "two" });
});

test("[Q17] what ends a task late does not touch what runs below its keeper by then", async () => {
  await using next = Bun.spawn(["sleep", "1000"]);
  await killBelow({ mark: crypto.randomUUID(), bus: "none", seen: new Map(), over: true });
  expect([next.exitCode, next.signalCode]).toEqual([null, null]);
});

test.if(process.platform === "linux")(
  "[Q17] a program that has ended leaves no open pipe in its keeper",
  async () => {
    const isPipe = (name: string) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).startsWith("pipe:");
      } catch {
        return false; // closed by now, as the one that lists the folder
      }
    };
    const open = () => readdirSync("/proc/self/fd").filter(isPipe).length;
    const ran = async () => {
      const options = { argv0: "sh", cwd: "/", env: {}, input: false };
      const { process: child, stdout, stderr } = spawnPiped(["/bin/sh", "-c", "echo a; echo b >&2"], options);
      for (const stream of [stdout, stderr]) for await (const _ of stream);
      await child.exited;
    };
    await ran();
    const before = open();
    for (let i = 0; i < 5; i++) await ran();
    // The runtime closes its own a moment after their end.
    await until("they are closed", () => open() <= before);
  },
);
