/** [Q12] Gates: a command that looks at what came out, and may send a sub-agent back. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plural } from "../../src/contract/plural.ts";
import { markName } from "../../src/orch/find-tree.ts";
import { askGate } from "../../src/orch/gate.ts";
import { killLeft } from "../../src/orch/kill-tree.ts";
import { type Crew, crew, outOfTime } from "../support/crew.ts";
import { until } from "../support/until.ts";

/** An agent that notes each prompt it is given, and answers with how many there were. */
const agent = (more = "") => `
[runners.notes]
command = ["sh", "-c", "cat >>prompts; echo >>prompts; echo x >>turns; wc -l <turns"]
${more}
[profiles.checked]
runner = "notes"
gate = ["sh", "./gate.sh"]
[profiles.unguarded]
runner = "notes"
gate = ["no-such-gate"]
`;

async function checked(gate: string, toml = agent(), profile = "checked"): Promise<Crew> {
  const team = await crew(toml);
  writeFileSync(join(team.path, "gate.sh"), gate);
  const pushed = await team.orch("push", "name=t", `profile=${profile}`, "--", "the task");
  if (pushed.code !== 0) throw new Error(pushed.stdout);
  await team.orch("run");
  return team;
}

const read = (team: Crew, name: string) => readFileSync(join(team.path, name), "utf8");
const turns = (team: Crew) => read(team, "turns").trim().split("\n").length;
const notices = async (team: Crew) => {
  const { entries } = (await team.orch("log", "t")).json;
  return entries
    .filter((one: { kind: string }) => one.kind === "notice")
    .map((one: { text: string }) => one.text);
};

test.concurrent("[Q12] a gate that is content lets the result through, and has seen it", async () => {
  using team = await checked("cat >seen");
  expect(await team.hear()).toMatchObject([{ success: true, text: "1" }]);
  expect(JSON.parse(read(team, "seen"))).toEqual({ task: "t", parent: "main", attempt: 1, final: "1" });
});

test.concurrent("[Q12] exit 2 sends standard error back; a runner that cannot resume runs again with it", async () => {
  using team = await checked("[ -e refused ] && exit 0; touch refused; echo 'the tests fail' >&2; exit 2");
  expect(await team.hear()).toMatchObject([{ success: true, text: "2" }]);
  expect(await team.hear(0)).toEqual([]);
  const prompts = read(team, "prompts");
  expect(prompts).toContain("Your earlier answer:\n\n> 1\n\nYour answer was rejected:\n\nthe tests fail");
  expect(prompts.match(/the task/g)).toHaveLength(2);
  expect(await notices(team)).toEqual(["the gate rejected it: the tests fail"]);
});

test.concurrent("[Q12] a runner that can resume gets only the feedback", async () => {
  const resumed = 'resume = ["sh", "-c", "cat >>resumed; echo mended"]';
  using team = await checked(
    "[ -e refused ] && exit 0; touch refused; echo 'the tests fail' >&2; exit 2",
    agent(resumed),
  );
  expect(await team.hear()).toMatchObject([{ success: true, text: "mended" }]);
  expect(turns(team)).toBe(1);
  expect(read(team, "resumed")).toBe(
    "Your answer was rejected:\n\nthe tests fail\n\nFix this and answer again.",
  );
});

test.concurrent("[Q12] the third refusal fails the task, and retries do not help it", async () => {
  using team = await crew(agent());
  writeFileSync(join(team.path, "gate.sh"), "echo 'not good enough' >&2; exit 2");
  await team.orch("push", "name=t", "profile=checked", "retries=3", "--", "the task");
  await team.orch("run");
  expect(await team.hear()).toMatchObject([
    { success: false, error: "its gate rejected it 3 times: not good enough", partial: "3" },
  ]);
  expect(turns(team)).toBe(3);
});

test.concurrent("[Q12] any other failure of a gate is a warning", async () => {
  using team = await checked("echo broken >&2; exit 1");
  expect(await team.hear()).toMatchObject([{ success: true, text: "1" }]);
  expect(await notices(team)).toEqual(["the gate sh ended with status 1: broken"]);
});

test.concurrent("[Q12] a gate that is not there is a warning", async () => {
  using team = await checked("", agent(), "unguarded");
  expect(await team.hear()).toMatchObject([{ success: true, text: "1" }]);
  expect((await notices(team))[0]).toContain("the gate no-such-gate could not be started");
});

test.concurrent("[Q6] [Q12] a gate is part of the task: it ends with the timeout, and leaves no process behind", async () => {
  using team = await crew(agent());
  writeFileSync(join(team.path, "gate.sh"), "setsid sleep 1000 & touch asked; sleep 1000");
  const { told, seconds } = await outOfTime(team, { file: "asked", seconds: 1 }, (timeout) =>
    team.orch("push", "name=t", "profile=checked", timeout, "--", "the task"),
  );
  expect(told).toMatchObject({
    success: false,
    error: `it exceeded its timeout of ${plural(seconds, "second")} and was killed`,
    partial: String(turns(team)),
  });
  await until("no keeper runs any more", () => !team.keepers().length);
  expect(team.processes().filter(({ command }) => command.includes("sleep"))).toEqual([]);
});

test.concurrent("[Q12] a process that a gate leaves with its standard error does not delay the task", async () => {
  using team = await checked(
    "setsid sleep 1000 & echo no >&2; [ -e refused ] && exit 0; touch refused; exit 2",
  );
  expect(await team.hear()).toMatchObject([{ success: true, text: "2" }]);
});

const pool = `
[profiles.crew]
runner = "sh"
gate.idle = ["sh", "./gate.sh"]
`;

/** A worker that takes the pool's next task and ends it; answers with what came to its inbox by then. */
async function workOn(team: Crew, task: string): Promise<void> {
  await team.push(task, "do it", "worker=crew");
  await team.orch("run");
  const { thread } = (await team.inbox("claim", "--agent", "w", "--wait", "--timeout-seconds", "40")).json;
  await team.inbox("done", "--agent", "w", "--thread", thread.thread_id, "--summary", "did it");
  expect(await team.hear()).toMatchObject([{ from: "w" }]);
}

async function sentBack(team: Crew, seconds: number): Promise<string[]> {
  const answer = await team.inbox("receive", "--agent", "w", "--timeout-seconds", String(seconds));
  return answer.json.messages
    .filter(({ kind }: { kind: string }) => kind === "control")
    .map(({ message }: { message: string }) => message);
}

test.concurrent("[Q12] a gate with a time of its own is ended when that is over, and that is a warning", async () => {
  const mark = crypto.randomUUID();
  const env = { PATH: process.env.PATH!, [markName]: mark };
  const place = { cwd: "/", env, clear: () => killLeft({ mark, bus: "none" }), limitMs: 100 };
  const verdict = await askGate(["sh", "-c", "trap '' TERM; sleep 1000 & sleep 1000"], {}, place);
  expect(verdict).toEqual({ passed: true, warning: "the gate sh exceeded its timeout of 0.1 seconds" });
});

test.concurrent("[Q12] gate.idle sends a pool's worker back to work, three times in a row at most", async () => {
  using team = await crew(pool);
  writeFileSync(join(team.path, "gate.sh"), "cat >>seen; echo 'there is more to do' >&2; exit 2");
  await team.inbox("pool", "join", "crew", "--agent", "w");
  for (let time = 1; time <= 3; time++) {
    await workOn(team, `task${time}`);
    expect(await sentBack(team, 40)).toEqual(["there is more to do"]);
  }
  await workOn(team, "task4");
  await until("no supervisor runs any more", () => !team.supervisors().length);
  expect(await sentBack(team, 0)).toEqual([]);
  const asked = read(team, "seen")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(asked).toEqual([
    { worker: "w", pool: "crew", task: "task1", refusals: 0 },
    { worker: "w", pool: "crew", task: "task2", refusals: 1 },
    { worker: "w", pool: "crew", task: "task3", refusals: 2 },
  ]);
});

test.concurrent("[Q12] gate.idle lets a worker rest when it is content, and does not ask while there is more for it", async () => {
  using team = await crew(pool);
  writeFileSync(join(team.path, "gate.sh"), "cat >>seen");
  await team.inbox("pool", "join", "crew", "--agent", "w");
  await team.push("later", "do that too", "worker=crew");
  await workOn(team, "sooner");
  const { thread } = (await team.inbox("claim", "--agent", "w")).json;
  await team.inbox("done", "--agent", "w", "--thread", thread.thread_id, "--summary", "that too");
  await until("no supervisor runs any more", () => !team.supervisors().length);
  expect(read(team, "seen").trim().split("\n")).toHaveLength(1);
  expect(await sentBack(team, 0)).toEqual([]);
});
