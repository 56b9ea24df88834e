/** Supervision by hand, where only the rules of the database matter: nothing is started, a test says when and how a task ends. */
import { type Ended, type Ending, endTask } from "../../src/bus/tasks/end.ts";
import { type Kept, keepTask, noteUsage } from "../../src/bus/tasks/keep.ts";
import { type Begun, type Room, type Started, startDue } from "../../src/bus/tasks/start.ts";
import type { InputOf } from "../../src/contract/operations/index.ts";
import type { UsageReport } from "../../src/contract/usage.ts";
import { noUsage } from "../../src/orch/runners/reports.ts";
import { run } from "../../src/sql/procedure.ts";
import { sql } from "../../src/sql/sql.ts";
import type { Bench, TestedEngine } from "./engines.ts";

export interface HandBench extends Bench {
  /** Queues a task of `main`, for a program that nobody starts. */
  push(name: string, more?: Partial<InputOf<"tasks.push">>): Promise<void>;
  /** Starts what is due, and answers with the names. */
  due(room?: Partial<Room>): Promise<string[]>;
  /** The same, with all that a supervisor learns. */
  begin(room?: Partial<Room>): Promise<Begun>;
  /** `push` and `run` and `due` of one. */
  started(name: string, more?: Partial<InputOf<"tasks.push">>): Promise<Started>;
  keep(name: string): ReturnType<typeof keepNow>;
  /** What its keeper reports of its attempt. */
  report(name: string, used: Partial<UsageReport>): Promise<Kept>;
  /** Ends the running task of that name. */
  end(name: string, ending?: Partial<Ending>): Promise<Ended>;
}

/** Else the repository that the tests are in is looked at with every push: five starts of git, which take longer than a test. */
export const unlooked = { worktree: "no" } as const;

/** Nobody else supervises: this test has the lease, and for ever. */
const neverLapses = "2999-01-01T00:00:00.000Z";

const keepNow = (bench: Bench, { number, token }: Started) =>
  bench.engine.write((tx) => keepTask(tx, number, token));

export async function byHand({ start }: TestedEngine): Promise<HandBench> {
  const bench = await start();
  const { engine, inbox } = bench;
  await engine.write(function* () {
    yield* run(sql`delete from supervision`);
    yield* run(sql`insert into supervision (holder, leased_until) values ('the test', ${neverLapses})`);
  });
  const running = new Map<string, Started>();
  const begin = async (room: Partial<Room> = {}) => {
    const begun = await engine.write((tx) => startDue(tx, "here", { all: 100, of: new Map(), ...room }));
    for (const task of begun.started) running.set(task.name, task);
    return begun;
  };
  const due = async (room?: Partial<Room>) => (await begin(room)).started.map(({ name }) => name);
  const push = async (name: string, more: Partial<InputOf<"tasks.push">> = {}) => {
    const usual = { agent: "main", name, prompt: `do ${name}`, profile: "claude", ...unlooked };
    await inbox.call("tasks.push", { ...usual, ...more });
  };
  return {
    ...bench,
    push,
    due,
    begin,
    async started(name, more = {}) {
      await push(name, more);
      await inbox.call("tasks.run", { agent: more.agent ?? "main" });
      await begin();
      return running.get(name)!;
    },
    report(name, used) {
      const { number, token } = running.get(name)!;
      return engine.write((tx) => noteUsage(tx, number, token, { used: { ...noUsage, ...used } }));
    },
    keep: (name) => keepNow(bench, running.get(name)!),
    end(name, ending = {}) {
      const { number, token } = running.get(name)!;
      const whole = { success: true, final: `done with ${name}`, ...ending };
      return engine.write((tx) => endTask(tx, number, token, whole));
    },
  };
}
