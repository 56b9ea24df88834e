/** [Q7] Supervisors, keepers and sub-agents that are killed: the task reports or is tried again, and its parent hears of it. */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { startDue } from "../../src/bus/tasks/start.ts";
import { openEngine } from "../../src/engines/registry.ts";
import { version } from "../../src/version.ts";
import { program, start } from "../support/cli.ts";
import { begun, type Crew, crew, printed, strike, strikeAll } from "../support/crew.ts";
import { ask, served } from "../support/hub.ts";
import { clearing } from "../support/platform.ts";
import { temporarySchema } from "../support/postgres.ts";
import { postgresSuite } from "../support/postgres-suite.ts";
import { stored } from "../support/stored-postgres.ts";
import { until } from "../support/until.ts";

/** Prints, says that it runs, and leaves somebody who cannot be found by environment, session or parent. */
const working = `echo half; (${clearing} setsid sleep 1000 &); touch ready; sleep 1000; touch went-on`;
const isDaemon = /^orch supervise |serve/;
const left = (team: Crew) => team.processes().filter(({ command }) => !isDaemon.test(command));
const childOf = (team: Crew, name: string) => Number(String(team.task(name).child).split(":")[0]);

async function running(name = "t", ...more: string[]): Promise<Crew> {
  const team = await crew();
  await team.push(name, working, ...more);
  await team.orch("run");
  await begun(team, "ready");
  await until("the sub-agent has a process", () => team.task(name).child !== null);
  await printed(team, name, "half");
  return team;
}

const lost = { from: "t", success: false, partial: "half\n" };

/** Nobody but a blocked receive does anything: it alone brings supervision back. */
async function hearsLoss(team: Crew): Promise<void> {
  const told = await team.hear();
  expect(told).toMatchObject([lost]);
  expect(told[0]!.error).toContain("it was lost: its keeper process");
  expect(left(team)).toEqual([]);
  expect(existsSync(join(team.path, "went-on"))).toBe(false);
  // Once, and for all.
  expect(await team.hear(0)).toEqual([]);
}

test.concurrent("[Q7.2] a second supervisor says that another one runs the tasks, and not that none are left", async () => {
  using team = await running();
  expect((await team.orch("supervise")).json).toMatchObject({ started: 0, ended: "another" });
  expect((await team.human("orch", "supervise")).stdout).toContain("another supervisor runs the rest");
  // One that takes over stays for what runs, and does not say that nothing does when it is stopped.
  await strikeAll(team.supervisors());
  const next = team.startOrch("supervise", "--json");
  const holds = async () =>
    String((await team.ask("select process from supervision"))[0]?.process).includes(` ${next.pid}:`);
  await until(
    "it supervises, or the keeper's is there",
    async () => next.exitCode !== null || (await holds()),
  );
  const expected = next.exitCode === null ? "stopped" : "another";
  next.kill("SIGTERM");
  expect(JSON.parse(await new Response(next.stdout).text()).ended).toBe(expected);
  await team.orch("kill", "t");
  await team.hear();
  await until("the supervisor has ended", () => !team.supervisors().length);
  expect((await team.orch("supervise")).json).toMatchObject({ started: 0, ended: "idle" });
});

test.concurrent("[Q7] a keeper is killed: its supervisor clears up and tells at once", async () => {
  using team = await running();
  await strikeAll(team.keepers());
  await hearsLoss(team);
});

test.concurrent("[Q7] supervisor and keeper are killed: a blocked receive alone brings supervision back", async () => {
  using team = await running();
  await strikeAll([...team.supervisors(), ...team.keepers()]);
  await hearsLoss(team);
});

test.concurrent("[Q7] … also one that began to wait before there was anything to supervise", async () => {
  using team = await crew();
  const hearing = team.hear(50);
  await until(
    "the waiter is a known agent",
    async () => (await team.ask("select 1 as here from agents where name = 'main'")).length,
  );
  await team.push("t", working);
  await team.orch("run");
  await begun(team, "ready");
  await printed(team, "t", "half");
  await strikeAll([...team.supervisors(), ...team.keepers()]);
  expect(await hearing).toMatchObject([lost]);
});

test.concurrent("[Q7] supervisor, keeper and sub-agent are killed together: the parent hears of it", async () => {
  using team = await running();
  await strikeAll([...team.supervisors(), ...team.keepers(), { pid: childOf(team, "t") }]);
  await hearsLoss(team);
});

test.concurrent("[Q7] keeper and sub-agent are killed, the supervisor lives: the parent hears of it", async () => {
  using team = await running();
  await strikeAll([...team.keepers(), { pid: childOf(team, "t") }]);
  await hearsLoss(team);
});

test.concurrent("[Q5] the sub-agent alone is killed: its keeper tells how it ended", async () => {
  using team = await running();
  strike(childOf(team, "t"));
  expect(await team.hear()).toMatchObject([
    { ...lost, partial: "half", error: "it was terminated by SIGKILL" },
  ]);
  await until("no keeper runs any more", () => !team.keepers().length);
  expect(left(team)).toEqual([]);
});

test.concurrent("[Q7] a supervisor is killed: running tasks continue and report, waiting ones are started by the next supervisor", async () => {
  using team = await crew();
  await team.push("first", "touch ready; until [ -e go ]; do sleep 0.02; done; echo one");
  await team.push("second", "echo two");
  await team.orch("run", "1");
  await begun(team, "ready");
  await strikeAll(team.supervisors());
  writeFileSync(join(team.path, "go"), "");
  expect(await team.hear()).toMatchObject([{ from: "first", success: true, text: "one" }]);
  expect(await team.hear()).toMatchObject([{ from: "second", success: true, text: "two" }]);
});

test.concurrent("[Q7] a supervisor is killed: on its host nobody waits for its lease to lapse", async () => {
  using team = await crew();
  await team.push("t", "touch ready; until [ -e go ]; do sleep 0.02; done");
  await team.orch("run");
  await begun(team, "ready");
  await strikeAll(team.supervisors());
  team.change("update supervision set leased_until = '2999-01-01T00:00:00.000Z'");
  const { json } = await team.orch("handoff", "sh", "echo at once");
  expect(json).toMatchObject({ success: true, message: "at once" });
  await Bun.write(join(team.path, "go"), "");
  expect(await team.hear()).toMatchObject([{ from: "t", success: true }]);
});

test.concurrent("[Q7] a supervisor dies after it has marked a task as started: it is started after all, once", async () => {
  using team = await crew();
  await team.push("t", "echo x >>runs; echo done");
  // What it leaves if it is killed right after its transaction.
  team.change("update tasks set status = 'waiting'");
  const engine = openEngine(team.db, {});
  await engine.write((tx) => startDue(tx, hostname(), { all: 1, of: new Map() }));
  await engine.close();
  expect(team.task("t")).toMatchObject({ status: "running", keeper: null });
  expect(await team.hear()).toMatchObject([{ from: "t", success: true, text: "done" }]);
  expect(readFileSync(join(team.path, "runs"), "utf8")).toBe("x\n");
  expect(team.task("t").attempt).toBe(1);
});

test.concurrent("[Q5] [Q7] supervisor and keeper are killed between the sub-agent's end and delivery: its result is delivered", async () => {
  using team = await crew();
  await team.push("t", "touch ready; until [ -e go ]; do sleep 0.02; done; echo answer");
  await team.orch("run");
  await begun(team, "ready");
  await until("the sub-agent has a process", () => team.task("t").child !== null);
  const folder = String(team.task("t").folder);
  {
    using held = new Database(team.db);
    held.run("pragma busy_timeout = 5000");
    held.run("begin immediate");
    writeFileSync(join(team.path, "go"), "");
    await until("the keeper has written down the ending", () => existsSync(join(folder, "ending.json")));
    await strikeAll([...team.supervisors(), ...team.keepers()]);
    held.run("rollback");
  }
  expect(await team.hear()).toMatchObject([{ from: "t", success: true, text: "answer" }]);
  expect(await team.hear(0)).toEqual([]);
});

test.concurrent("[Q7] a supervisor whose database is gone ends", async () => {
  using team = await crew();
  await team.push("t", "touch ready; sleep 1000");
  await team.orch("run");
  await begun(team, "ready");
  const [supervisor] = team.supervisors();
  const folder = dirname(team.db);
  renameSync(folder, `${folder}-moved`);
  await until("it has ended", () => !team.supervisors().some(({ pid }) => pid === supervisor!.pid));
  renameSync(`${folder}-moved`, folder);
});

test.concurrent("[Q5] [Q10] a keeper is killed and the task may be tried again: only the last outcome is delivered", async () => {
  using team = await crew();
  await team.push(
    "t",
    "echo x >>runs; [ $(wc -l <runs) = 2 ] && echo second && exit; touch ready; sleep 1000",
    "retries=1",
  );
  await team.orch("run");
  await begun(team, "ready");
  await strikeAll(team.keepers());
  expect(await team.hear()).toMatchObject([{ from: "t", success: true, text: "second" }]);
  expect(await team.hear(0)).toEqual([]);
  await until("no keeper runs any more", () => !team.keepers().length);
  expect(left(team)).toEqual([]);
});

test.concurrent("[Q5] [Q7] the machine is restarted: running tasks are reported as lost", async () => {
  using team = await running();
  await strikeAll(team.processes());
  // Another boot: the same numbers are other processes now.
  const before = String(team.task("t").keeper);
  const own = `${process.pid}:${before.split(":")[1]}`;
  team.change("update tasks set keeper = ?, child = ?", `${own}:another-boot`, `${own}:another-boot`);
  team.change("delete from supervision");
  expect(await team.hear()).toMatchObject([{ ...lost, error: "it was lost when the machine restarted" }]);
});

test.concurrent("[Q7] a keeper that was stopped is given up, and what it kept is cleared away", async () => {
  using team = await running();
  const [keeper] = team.keepers();
  strike(keeper!.pid, "SIGSTOP");
  const told = await team.hear();
  expect(told).toMatchObject([lost]);
  expect(left(team)).toEqual([]);
});

test.concurrent("[Q7] a hub is killed with a task and its keeper: the next wait on the database hears of it", async () => {
  using team = await crew();
  await using hub = await served(team.db);
  await team.push("t", working);
  await team.orch("run");
  await begun(team, "ready");
  await printed(team, "t", "half");
  expect(team.supervisors()).toEqual([]);
  const keepers = team.keepers();
  hub.kill("SIGKILL");
  await hub.exited;
  await strikeAll(keepers);
  await hearsLoss(team);
});

test.concurrent("[Q7] a hub that starts after all were killed clears up automatically", async () => {
  using team = await running();
  await strikeAll([...team.supervisors(), ...team.keepers()]);
  await using hub = await served(team.db);
  const answer = await team.inbox("receive", "--agent", "main", "--timeout-seconds", "20", "--db", hub.url);
  expect(answer.json.messages).toMatchObject([{ sender_id: "t", kind: "result" }]);
  await until("nothing of the task is left", () => !left(team).length);
});

test.concurrent("[Q7] a hub is killed: running tasks report, and waiting ones are started by the next hub", async () => {
  using team = await crew();
  await using first = await served(team.db);
  await team.push("a", "touch ready; until [ -e go ]; do sleep 0.02; done; echo one");
  await team.push("b", "echo two");
  await team.orch("run", "1");
  await begun(team, "ready");
  first.kill("SIGKILL");
  await first.exited;
  await using second = await served(team.db);
  writeFileSync(join(team.path, "go"), "");
  expect(await team.hear()).toMatchObject([{ from: "a", success: true }]);
  expect(await team.hear()).toMatchObject([{ from: "b", success: true }]);
  expect(second.pid).not.toBe(first.pid);
});

test.concurrent("[Q7] several supervisors at once run no task twice", async () => {
  using team = await crew();
  const names = Array.from({ length: 24 }, (_, i) => `t${i}`);
  for (const name of names) await team.push(name, `echo ${name} >>runs`);
  // Nobody has been started yet: all of them meet the same queue, whoever has the lease.
  team.change("update tasks set status = 'waiting'");
  const supervisors = Array.from({ length: 4 }, () => team.start("supervise"));
  const stealing = setInterval(() => team.change("delete from supervision"), 20);
  const told: string[] = [];
  while (told.length < names.length) told.push(...(await team.hear()).map(({ from }) => from));
  clearInterval(stealing);
  for (const child of supervisors) await child.exited;
  const runs = readFileSync(join(team.path, "runs"), "utf8").trim().split("\n");
  expect(runs.sort()).toEqual([...names].sort());
  expect(told.sort()).toEqual([...names].sort());
});

test.concurrent("[Q7] a program that was replaced while its hub runs starts sub-agents as before", async () => {
  using team = await crew();
  const installed = join(team.path, "inbox");
  copyFileSync(program, installed);
  const hub = start(["serve", "--port", "0", "--db", team.db, "--json"], { program: [installed] });
  const { value } = await hub.stdout.getReader().read();
  const { url } = JSON.parse(new TextDecoder().decode(value));
  copyFileSync(program, `${installed}.new`);
  renameSync(`${installed}.new`, installed);
  const message = "inbox --version && orch --version";
  const { json } = await ask(url)("POST /api/tasks/handoff", { agent: "main", message, cwd: team.path });
  expect(json).toMatchObject({
    success: true,
    message: `inbox (Restante) ${version}\norch (Restante) ${version}`,
  });
  hub.kill();
  await hub.exited;
});

test.concurrent("[Q5] where no keeper can be started at all, the task fails and says why", async () => {
  using team = await crew();
  await team.push("t", "echo never");
  writeFileSync(`${team.db}-tasks`, "in the way");
  await team.orch("run");
  const [told] = await team.hear();
  expect(told).toMatchObject({ from: "t", success: false });
  expect(told!.error).toContain("its keeper process could not be started");
});

test.concurrent("[Q5] a keeper that cannot continue ends, and its error is reported", async () => {
  using team = await crew();
  await team.push("t", "echo never");
  mkdirSync(`${team.db}-tasks`);
  writeFileSync(`${team.db}-tasks/bin`, "in the way");
  await team.orch("run");
  const [told] = await team.hear();
  expect(told).toMatchObject({ from: "t", success: false });
  expect(told!.error).toContain("its keeper process");
  expect(told!.error).toContain(`${team.db}-tasks/bin`);
});

/** A line to a server that can be cut for a while, at an address that stays. */
async function lineTo(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let away = false;
  const server = createServer((client) => {
    if (away) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const own = new URL(url);
  own.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: own.href,
    leave() {
      away = true;
      cut();
    },
    comeBack() {
      away = false;
    },
    [Symbol.dispose]() {
      server.close();
      cut();
    },
  };
}

postgresSuite("the database is away", () => {
  test.concurrent("[Q5] [Q7] while a sub-agent works and ends: its result arrives when the database is back", async () => {
    using place = await temporarySchema();
    using line = await lineTo(place.url);
    using team = await crew("", line.url);
    await team.push("t", "touch ready; until [ -e go ]; do sleep 0.02; done; echo answer; touch over");
    await team.push("next", "echo too");
    await team.orch("run", "1");
    await begun(team, "ready");
    line.leave();
    writeFileSync(join(team.path, "go"), "");
    const ended = new Bun.Glob(".local/state/restante/*/*/ending.json");
    await until(
      "the keeper has written down the ending",
      () => [...ended.scanSync({ cwd: team.path, dot: true })].length,
    );
    // Nobody is to be taken for dead only because the database was not there.
    const lapsed = `select 1 as lapsed from tasks, supervision where tasks.name = 't' and greatest(tasks.leased_until, supervision.leased_until)
      < to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    await until("all leases have run out", async () => (await stored(place.url, lapsed)).length);
    line.comeBack();
    expect(await team.hear()).toMatchObject([{ from: "t", success: true, text: "answer" }]);
    expect(await team.hear()).toMatchObject([{ from: "next", success: true, text: "too" }]);
  });
});
