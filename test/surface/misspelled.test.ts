/** Names that look misspelled, and threads that are held, as the person at the terminal is told of them. */
import { expect, test } from "bun:test";
import { type Desk, desk, start } from "../support/cli.ts";

const untilSent = "x";

/** Starts a wait without an end, and what it has printed to standard error first. */
async function firstNote(at: Desk, ...args: string[]): Promise<string> {
  const child = start(args, { cwd: at.path });
  try {
    const { value } = await child.stderr.getReader().read();
    return new TextDecoder().decode(value);
  } finally {
    child.kill();
    await child.exited;
  }
}

async function withAdaAndBob(): Promise<Desk> {
  const at = await desk();
  for (const name of ["ada", "bob"]) await at.inbox("send", "user", untilSent, "--agent", name);
  await at.inbox("msg", "send", "topic", untilSent);
  return at;
}

const note = (name: string, meant: string) =>
  `note nobody has used the name "${name}" yet; did you mean ${meant}?\n`;

test("[M13.8] a wait without an end under or for a misspelled name says so when it begins", async () => {
  using at = await withAdaAndBob();
  expect(await firstNote(at, "receive", "--agent", "adaa")).toBe(note("adaa", "ada"));
  expect(await firstNote(at, "wait", "--from", "bobb")).toBe(note("bobb", "bob"));
  expect(await firstNote(at, "gather", "--from", "bobb,ada")).toBe(note("bobb", "bob"));
  expect(await firstNote(at, "claim", "--wait", "--agent", "adda")).toBe(note("adda", "ada or adaa"));
  expect(await firstNote(at, "msg", "wait", "topci")).toBe(note("topci", "topic"));
});

test("[L11.4] a claim that waits without an end says what the agent holds when it begins", async () => {
  using at = await withAdaAndBob();
  await at.inbox("send", "--to", "ada", "--subject", "job", "--body", untilSent, "--agent", "bob");
  await at.inbox("claim", "--agent", "ada");
  for (const json of [[], ["--json"]]) {
    const told = await firstNote(at, "claim", "--wait", "--agent", "ada", ...json);
    expect(told).toStartWith("YOU HOLD  STATUS ");
    expect(told).toEndWith(
      "if no other process of yours works on it, continue with inbox claim thr_1 --agent ada; end it with inbox done thr_1 RESULT --agent ada, or give it up with inbox release thr_1 --agent ada\n",
    );
  }
  const bounded = await at.human("claim", "--wait", "--agent", "ada", "--timeout-seconds", "0.1");
  expect([bounded.code, bounded.stderr]).toEqual([10, ""]);
  expect(bounded.stdout).toContain("YOU HOLD");
});

test("[M13.7] with a timeout the answer says so", async () => {
  using at = await withAdaAndBob();
  const answers = async (...args: string[]) => (await at.human(...args)).stdout;
  expect(await answers("receive", "--agent", "adaa", "--timeout-seconds", "0")).toBe(
    `no mail\n${note("adaa", "ada")}`,
  );
  expect(await answers("gather", "--from", "bobb", "--timeout-seconds", "0")).toContain(note("bobb", "bob"));
  expect(await answers("list", "--agent", "bobb")).toBe(`no threads\n${note("bobb", "bob")}`);
  expect(await answers("list", "--agent", "bob")).toBe("no threads\n");
  expect(await answers("claim", "--agent", "bobb")).toBe(`nothing to claim\n${note("bobb", "bob")}`);
  for (const _ of ["once", "and again"])
    expect(await answers("send", "bobb", untilSent)).toContain(note("bobb", "bob"));
});
