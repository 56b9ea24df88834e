/** skills: what they tell an agent to type works, in the order it stands there, with the codes they name. */
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const read = (name: string) => Bun.file(join(root, `skills/${name}/SKILL.md`)).text();
const skills = { inbox: await read("inbox"), orch: await read("orch") };

/** Commands with the exit code their comment names (`# exits 10`), else 0. */
const commandsOf = (skill: string) =>
  [...skill.matchAll(/^```bash\n(.*?)^```/gms)]
    .flatMap(([, block]) => block!.trim().split("\n"))
    .map((line) => ({ line, exit: Number(/# exits (\d+)/.exec(line)?.[1] ?? 0) }));

for (const [name, skill] of Object.entries(skills))
  test(`[C7] the skill ${name} has a name and says when it is for, and fits into a model's patience`, () => {
    const [, front] = /^---\n(.*?)\n---\n/s.exec(skill)!;
    const fields = Object.fromEntries(front!.split("\n").map((line) => line.split(/: (.*)/s, 2)));
    expect(Object.keys(fields)).toEqual(["name", "description"]);
    expect(fields.name).toBe(name);
    expect(fields.description.length).toBeLessThan(1024);
    expect(skill.split("\n").length).toBeLessThanOrEqual(125);
  });

/** Runs every command of a skill, and answers with what each printed. */
async function runAll(skill: string, path: string) {
  const commands = commandsOf(skill);
  const script = commands.map(
    ({ line, exit }, index) => `${line}\ncode=$?\necho "${index} $code ${exit}" >&3`,
  );
  const child = Bun.spawn(["bash", "-c", `exec 3> codes\n${script.join("\n")}`], {
    cwd: path,
    env: bareEnvironment({ PATH: `${join(root, "dist")}:/usr/bin:/bin` }),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const codes = (await Bun.file(join(path, "codes")).text()).trim().split("\n");
  const ended = codes.map((code) => {
    const [index, got, wanted] = code.split(" ").map(Number);
    return { line: commands[index!]!.line, got, wanted };
  });
  expect(ended).toHaveLength(commands.length);
  expect(ended.filter(({ got, wanted }) => got !== wanted)).toEqual([]);
  expect(stderr).toBe("");
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("[C7] every command of the skill inbox runs in its order and ends with the code the text says", async () => {
  using folder = temporaryFolder();
  const answers = await runAll(skills.inbox, folder.path);
  const gathered = answers.filter(({ command }) => command === "gather");
  expect(gathered[0]).toMatchObject({ missing: ["bob"], messages: [{ sender_id: "ada" }] });
  expect(gathered[0].messages[0].message).toStartWith("[Task: login]");
  expect(gathered[1]).toMatchObject({ missing: ["bob"], messages: [] });
  expect(answers.filter(({ ok }) => !ok).map(({ error }) => error.code)).toEqual([
    "lease_conflict",
    "invalid_state",
    "not_found",
  ]);
});

/** Answers with the label of its task, as it is asked to; what is impossible fails, and what is slow never ends. */
const subAgent = `#!/bin/sh
prompt=$(cat)
label=$(printf %s "$prompt" | sed -n 's/.*\\(\\[Task: [^]]*\\]\\).*/\\1/p')
case $prompt in
  *impossible*) echo "no way" >&2; exit 1 ;;
  *"inbox send main"*) inbox send main "$label half of it" >&2; exec sleep 1000 ;;
  *slowly*) exec sleep 1000 ;;
esac
echo "$label done"
`;

test("[C7] every command of the skill orch runs in its order, and the results come as the text says", async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, ".agents"), { mode: 0o700 });
  writeFileSync(join(folder.path, "sub-agent"), subAgent, { mode: 0o755 });
  writeFileSync(
    join(folder.path, ".agents/agents.toml"),
    'default = "script"\n[runners.script]\ncommand = ["./sub-agent"]\n',
  );
  const answers = await runAll(skills.orch, folder.path);
  const of = (command: string) => answers.filter((answer) => answer.command === command);
  expect(of("handoff")[0]).toMatchObject({
    success: true,
    status: "finished",
    message: "[Task: review] done",
  });
  const gathered = of("gather").map(({ messages }) =>
    messages.map(({ message }: { message: string }) => message).sort(),
  );
  expect(gathered[0]).toEqual(["[Task: dataset_A] done", "[Task: dataset_B] done"]);
  expect(gathered[1]).toEqual([]);
  expect(gathered[2]).toEqual(["[Task: code] done", "[Task: plan] done", "[Task: tests] done"]);
  expect(gathered[3].map((text: string) => JSON.parse(text).error)).toEqual([
    "it exited with status 1: no way",
    'skipped: its dependency "draft" did not succeed',
  ]);
  const received = of("receive").map(({ messages }) => messages[0]);
  expect(JSON.parse(received[0].message)).toMatchObject({ from: "c", success: false });
  expect(received[1].message).toBe("[Task: long] half of it");
  expect(JSON.parse(received[2].message)).toMatchObject({ from: "worker", success: false });
});
