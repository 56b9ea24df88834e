/** [Q5] [Q9] What sub-agents print: of any size and kind, and what becomes of programs that cannot even start. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { begun, type Crew, crew, type Heard, printed } from "../support/crew.ts";
import { describeMounting, smallDisk } from "../support/mounts.ts";
import { until } from "../support/until.ts";

const ascii = (text: string) => new TextEncoder().encode(text);
const settings = `
[runners.fed]
command = ["sh", "-c", "exec sleep 0.2"]
[runners.reads]
command = ["wc", "-c"]
[runners.script]
command = ["./script", "{prompt}"]
[runners.ghost]
command = ["no-such-program", "{prompt}"]
[runners.path]
command = ["./no/such/program", "{prompt}"]
`;

async function outcome(team: Crew, command: string, ...more: string[]): Promise<Heard> {
  await team.push("t", command, ...more);
  await team.orch("run");
  const [told] = await team.hear();
  return told!;
}

const printing: [what: string, command: string, expected: Partial<Heard>][] = [
  ["nothing", "true", { success: true, text: "(it finished without a final message)" }],
  ["an empty line", "echo", { success: true, text: "(it finished without a final message)" }],
  ["no newline at the end", "printf 'no end'", { success: true, text: "no end" }],
  ["bytes that are no UTF-8", "printf 'a\\377\\376b'", { success: true, text: "a\ufffd\ufffdb" }],
  ["a character in two pieces", "printf '\\303'; sleep 0.1; printf '\\251'", { success: true, text: "é" }],
  ["a zero byte", "printf 'a\\000b'", { success: true, text: "a\ufffdb" }],
  [
    "zero bytes as its complaint",
    "printf 'a\\000b' >&2; exit 1",
    { success: false, error: "it exited with status 1: a\ufffdb" },
  ],
  [
    "on, after it closed its output",
    "echo first; exec >&- 2>&-; sleep 0.3",
    { success: true, text: "first" },
  ],
  [
    "to standard error only",
    "echo oops >&2",
    { success: true, text: "(it finished without a final message)" },
  ],
  ["nothing and fails", "exit 7", { success: false, error: "it exited with status 7", partial: "" }],
];

for (const [what, command, expected] of printing)
  test.concurrent(`[Q5] a program that prints ${what}`, async () => {
    using team = await crew();
    expect(await outcome(team, command)).toMatchObject(expected);
  });

test.concurrent("[Q9] a line that came in pieces is one line in the log, read at once or followed", async () => {
  using team = await crew();
  const after = (piece: string) => `until [ -e ${piece} ]; do sleep 0.02; done`;
  const pieces = `printf aaa; ${after("aaa")}; printf 'bbb\\nccc'; ${after("ccc")}; printf ddd; ${after("ddd")}; printf 'x\\ny' >&2; sleep 0.1; echo z >&2`;
  await team.push("t", pieces);
  await team.orch("run");
  // Its keeper reads each by itself, however long it stands still in between.
  for (const piece of ["aaa", "ccc", "ddd"]) {
    await printed(team, "t", piece);
    writeFileSync(join(team.path, piece), "");
  }
  expect(await team.hear()).toMatchObject([{ text: "aaabbb\ncccddd" }]);
  const { entries } = (await team.orch("log", "t")).json;
  expect(entries.filter(({ kind }: { kind: string }) => kind === "output")).toMatchObject([
    { text: "aaa", open: true },
    { text: "bbb\nccc", open: true },
    { text: "ddd", open: true },
  ]);
  const shown = "aaabbb\ncccddd\nstderr\n  x\n  yz\nfinal\n  aaabbb\n  cccddd\n";
  for (const more of [[], ["--follow"]])
    expect((await team.human("orch", "log", "t", ...more)).stdout).toBe(`prompt\n  ${pieces}\n${shown}`);
});

test.concurrent("[C2] [C3] [Q3.1] [Q5] people read of a failure in words, and agents as JSON", async () => {
  using team = await crew();
  const words = "failed: it exited with status 3: oops";
  const failing = "echo half; echo oops >&2; exit 3";
  const handed = await team.human("orch", "handoff", "name=h", failing);
  expect(handed.stdout).toBe(`h ${words}\nit had written:\n  half\norch log h shows what it did\n`);
  // So that what comes after `&&` does not happen.
  expect(handed.code).toBe(1);
  await team.human("orch", "assign", "name=a", `until [ -e go ]; do sleep 0.02; done; ${failing}`);
  await until(
    "the sub-agent has a process",
    async () => (await team.orch("show", "a")).json.task.pid !== null,
  );
  expect((await team.human("orch", "show", "a")).stdout).toContain("process");
  writeFileSync(join(team.path, "go"), "");
  const gathered = (await team.human("inbox", "gather", "--from", "a")).stdout;
  expect(gathered).toEndWith(`  ${words}\n  it had written:\n    half\n`);
  // Its process is gone, and its number may be another's by now.
  expect((await team.human("orch", "show", "a")).stdout).not.toContain("process");
  // [Q3.1] A failure took time, too; a task that never started took none.
  await team.push("never", "true");
  await team.orch("remove", "never");
  const queue = (await team.human("orch", "queue")).stdout;
  for (const name of ["h", "a"])
    expect(queue).toMatch(new RegExp(`✗ ${name} \\(${words}; took \\d+[smh]\\)`));
  expect(queue).toMatch(/– never \([^;)]*\) true/);
  expect((await team.orch("kill", "a")).json.error.hint).toBe("orch show a shows how it ended");
});

test.concurrent("[Q3] a long queue is shown in short: names, earlier ones, and their parents if there are several", async () => {
  using team = await crew();
  for (let i = 1; i <= 14; i++) await team.push(`t${i}`, "true");
  expect((await team.human("orch", "run")).stdout).toStartWith(
    "released 14 tasks: t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12 and 2 more\n",
  );
  await team.human("inbox", "gather", "--from", Array.from({ length: 14 }, (_, i) => `t${i + 1}`).join(","));
  const cut = (await team.human("orch", "queue", "--limit", "3")).stdout;
  expect(cut).toEndWith("\n  … and earlier ones: --limit N shows more\n");
  expect((await team.human("orch", "queue")).stdout).not.toContain("earlier");
  await team.human("orch", "push", "name=theirs", "--agent", "lead", "true");
  expect((await team.human("orch", "queue", "--all")).stdout).toContain("- theirs (for lead) true");
});

test.concurrent("[Q11] Ctrl-C ends the wait of a handoff, and prints which sub-agent continues and how to wait again", async () => {
  using team = await crew();
  const waiting = team.startOrch("handoff", "until [ -e go ]; do sleep 0.02; done; echo later");
  await until("the task runs", async () => (await team.orch("queue")).json.running.length === 1);
  const [{ name }] = (await team.orch("queue")).json.running;
  waiting.kill("SIGINT");
  expect(await new Response(waiting.stdout).text()).toBe(
    `${name} is still running; orch handoff --continue ${name} continues waiting\n`,
  );
  expect(await waiting.exited).toBe(130);
  writeFileSync(join(team.path, "go"), "");
  expect((await team.human("orch", "handoff", "--terminal-id", name)).stdout).toBe("later\n");
});

const missing = (bytes: number, name: string) =>
  `[the beginning of the final message is missing (${bytes} bytes); orch log ${name} shows all of its output]`;

const manyLines = "seq -f 'line %.0f of the sub-agent' 100000";

test.concurrent("[Q5.6] a handoff prints that the beginning of a long message is missing, and its gate is told too", async () => {
  using team = await crew(`[profiles.checked]\nrunner = "sh"\ngate = ["sh", "-c", "cat >seen"]\n`);
  const { stdout } = await team.human("orch", "handoff", "checked", "name=big", manyLines);
  const [first, ...rest] = stdout.trimEnd().split("\n");
  const bytes = Array.from({ length: 100_000 }, (_, i) => `line ${i + 1} of the sub-agent\n`).join("").length;
  expect(first).toBe(missing(bytes - 512 * 1024, "big"));
  expect(rest.at(-1)).toBe("line 100000 of the sub-agent");
  expect(readFileSync(join(team.path, "seen"), "utf8")).toContain(first!);
});

test.concurrent("[Q5.7] the payload of a result has the number of bytes that are missing, and a whole one has none", async () => {
  using team = await crew();
  const payload = async (command: string) =>
    JSON.parse((await team.orch("handoff", command)).json.messages[0].metadata_json);
  expect(await payload("head -c 3000000 /dev/zero | tr '\\0' a")).toMatchObject({
    success: true,
    cut: 3_000_000 - 512 * 1024,
  });
  expect(await payload("echo short")).not.toHaveProperty("cut");
});

test.concurrent("[Q9.2] a long transcript is followed to its end, and each page but the last says where the next begins", async () => {
  using team = await crew();
  await outcome(team, manyLines);
  const last = "line 100000 of the sub-agent";
  const followed = (await team.human("orch", "log", "t", "--follow")).stdout;
  // Its output and its final message.
  expect(followed.split("\n").filter((line) => line.trim() === last)).toHaveLength(2);
  expect(followed).toContain("line 1 of the sub-agent\n");
  const page = (await team.orch("log", "t", "--limit", "1000")).json;
  expect(page.ended).toBe(false);
  const shown = (await team.human("orch", "log", "t", "--limit", "1000")).stdout;
  expect(shown).toEndWith(`\nmore: continue with --after ${page.next}, or --follow\n`);
  const texts: string[] = [];
  for (let after = 0; ; ) {
    const { entries, next, ended } = (await team.orch("log", "t", "--after", String(after))).json;
    for (const { kind, text } of entries) if (kind === "output") texts.push(text);
    after = next;
    if (ended) break;
  }
  expect(texts.join("").split("\n")).toHaveLength(100_001);
});

test.concurrent("[Q5] [Q9] 300 MB in one line do not grow the keeper; the message has the end of it, the transcript all", async () => {
  using team = await crew();
  const much =
    "head -c 300000000 /dev/zero | tr '\\0' a; echo; echo the end; touch ready; until [ -e go ]; do sleep 0.02; done";
  await team.push("t", much);
  await team.orch("run");
  await begun(team, "ready");
  const [keeper] = team.keepers();
  const status = readFileSync(`/proc/${keeper!.pid}/status`, "utf8");
  expect(Number(/VmHWM:\s+(\d+)/.exec(status)![1])).toBeLessThan(200_000);
  writeFileSync(join(team.path, "go"), "");
  const [told] = await team.hear();
  expect(told!.success).toBe(true);
  expect(told!.text.endsWith("a\nthe end")).toBe(true);
  expect(told!.text.length).toBeGreaterThan(500_000);
  const [first, ...rest] = told!.text.split("\n");
  expect(rest.join("\n")).toHaveLength(512 * 1024 - 1);
  expect(first).toBe(missing(300_000_009 - 512 * 1024, "t"));
  expect(statSync(join(String(team.task("t").folder), "transcript.jsonl")).size).toBeGreaterThan(300_000_000);
});

test.concurrent("[Q6] a flood of output does not keep a timeout waiting", async () => {
  using team = await crew();
  const told = await outcome(team, "yes | head -c 100000000000", "timeout=1");
  expect(told).toMatchObject({
    success: false,
    error: "it exceeded its timeout of 1 second and was killed",
  });
  // On a busy machine the second may be over before the first line is read.
  expect(told.partial).toMatch(/^\n?(y\n)*y?$/);
});

test.concurrent("[Q5] a program that does not read a prompt of 1 MiB ends as it likes", async () => {
  using team = await crew(settings);
  writeFileSync(join(team.path, "prompt"), ascii("p".repeat(1024 * 1024)));
  const pushed = await team.orch("push", "name=t", "profile=fed", "--prompt-file", "prompt");
  expect(pushed.json.ok).toBe(true);
  await team.orch("run");
  expect(await team.hear()).toMatchObject([
    { from: "t", success: true, text: "(it finished without a final message)" },
  ]);
});

test.concurrent("[Q8] a prompt of 1 MiB arrives whole on standard input", async () => {
  using team = await crew(settings);
  writeFileSync(join(team.path, "prompt"), ascii("p".repeat(1024 * 1024)));
  await team.orch("push", "name=t", "profile=reads", "--prompt-file", "prompt");
  await team.orch("run");
  expect(await team.hear()).toMatchObject([{ text: String(1024 * 1024) }]);
});

test.concurrent("[Q8] a program that is missing fails, and says which and how to get it", async () => {
  using team = await crew(settings);
  const told = await outcome(team, "x", "profile=ghost");
  expect(told.error).toBe(
    "there is no program no-such-program; put no-such-program on PATH, or write its path in [runners.ghost] command",
  );
});

test.concurrent("[Q8] a path that is missing, not executable, or has no interpreter is reported as such", async () => {
  using team = await crew(settings);
  expect((await outcome(team, "x", "profile=path")).error).toContain(
    `there is no program ${team.path}/no/such/program; make ${team.path}/no/such/program a program that can be run`,
  );
  const script = join(team.path, "script");
  writeFileSync(script, "#!/no/such/interpreter\n", { mode: 0o644 });
  expect((await outcome(team, "x", "profile=script")).error).toBe(
    `${script} cannot be executed; chmod +x ${script}`,
  );
  await Bun.spawn(["chmod", "+x", script]).exited;
  const { error } = await outcome(team, "x", "profile=script");
  expect(error).toContain(`${script} could not be started`);
  expect(error).toContain("the interpreter in its first line is installed");
});

test.concurrent("[Q8] a folder that is gone by the time it starts is a failure that says which", async () => {
  using team = await crew();
  const gone = join(team.path, "gone");
  mkdirSync(gone);
  await team.push("t", "pwd", `cwd=${gone}`);
  rmdirSync(gone);
  await team.orch("run");
  const [told] = await team.hear();
  expect(told).toMatchObject({ success: false });
  expect(told!.error).toBe(
    `there is no folder ${gone} to work in; push it from an existing folder, or give one with --cwd PATH`,
  );
});

test.concurrent("[Q9] a reader that follows a transcript gets the final message before its end", async () => {
  using team = await crew();
  await team.push("t", "touch ready; until [ -e go ]; do sleep 0.02; done; echo one; echo two");
  await team.orch("run");
  await begun(team, "ready");
  const following = team.orch("log", "t", "--follow");
  writeFileSync(join(team.path, "go"), "");
  const lines = (await following).stdout.trim().split("\n");
  expect(lines.at(-1)).toContain('"kind":"final"');
  expect(lines.at(-1)).toContain("one\\ntwo");
});

describeMounting("a full disk", import.meta.path, () => {
  test("[Q5] [Q9] if the disk of the transcript is full, the task continues and its result is delivered", async () => {
    using team = await crew();
    using _ = smallDisk(2048, `${team.db}-tasks`);
    const told = await outcome(team, "head -c 20000000 /dev/zero | tr '\\0' a; echo; echo the end");
    expect(told.success).toBe(true);
    expect(told.text.endsWith("a\nthe end")).toBe(true);
    await until("no keeper runs any more", () => !team.keepers().length);
  });
});
