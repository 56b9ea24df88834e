/** skills/inbox/SKILL.md: what it tells an agent to type works, in the order it stands there, with the codes it names. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { bareEnvironment, root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const skill = await Bun.file(join(root, "skills/inbox/SKILL.md")).text();

/** Commands with the exit code their comment names (`# exits 10`), else 0. */
const commands = [...skill.matchAll(/^```bash\n(.*?)^```/gms)]
  .flatMap(([, block]) => block!.trim().split("\n"))
  .map((line) => ({ line, exit: Number(/# exits (\d+)/.exec(line)?.[1] ?? 0) }));

test("[C7] the skill has a name and says when it is for, and fits into a model's patience", () => {
  const [, front] = /^---\n(.*?)\n---\n/s.exec(skill)!;
  const fields = Object.fromEntries(front!.split("\n").map((line) => line.split(/: (.*)/s, 2)));
  expect(Object.keys(fields)).toEqual(["name", "description"]);
  expect(fields.name).toBe("inbox");
  expect(fields.description.length).toBeLessThan(1024);
  expect(skill.split("\n").length).toBeLessThanOrEqual(125);
});

test("[C7] every command of the skill runs in its order and ends with the code the text says", async () => {
  using folder = temporaryFolder();
  const script = commands.map(
    ({ line, exit }, index) => `${line}\ncode=$?\necho "${index} $code ${exit}" >&3`,
  );
  const child = Bun.spawn(["bash", "-c", `exec 3> codes\n${script.join("\n")}`], {
    cwd: folder.path,
    env: bareEnvironment({ PATH: `${join(root, "dist")}:/usr/bin:/bin` }),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const codes = (await Bun.file(join(folder.path, "codes")).text()).trim().split("\n");
  const ended = codes.map((code) => {
    const [index, got, wanted] = code.split(" ").map(Number);
    return { line: commands[index!]!.line, got, wanted };
  });
  expect(ended).toHaveLength(commands.length);
  expect(ended.filter(({ got, wanted }) => got !== wanted)).toEqual([]);
  expect(stderr).toBe("");
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
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
