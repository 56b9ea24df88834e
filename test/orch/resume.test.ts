import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { desk, root, run } from "../support/cli.ts";

test("[U6] a finished task says how its conversation is opened again, where its program can", async () => {
  using here = await desk();
  writeFileSync(
    join(here.path, ".agents/agents.toml"),
    `[runners.talker]
command = ["sh", "-c", "echo '{\\"result\\": \\"hello\\", \\"session\\": \\"s-1\\"}'"]
output = "json"
resume = ["talker", "--open", "{session}", "--as", "{name}"]
[runners.mute]
command = ["true"]
`,
  );
  const orch = (...args: string[]) =>
    run([...args, "--json"], { cwd: here.path, program: [join(root, "dist/orch")] });
  await orch("push", "name=a", "profile=talker", "say something");
  await orch("push", "name=b", "profile=mute", "say nothing");
  expect((await orch("show", "a")).json.resume).toBeNull();
  await orch("run");
  await run(["gather", "--from", "a,b", "--agent", "main"], { cwd: here.path });
  const shown = await orch("show", "a");
  expect(shown.json).toMatchObject({
    task: { session: "s-1" },
    resume: ["talker", "--open", "s-1", "--as", "a"],
  });
  expect((await orch("show", "b")).json.resume).toBeNull();
  const told = await run(["show", "a"], { cwd: here.path, program: [join(root, "dist/orch")] });
  expect(told.stdout).toContain(`cd ${here.path} && talker --open s-1 --as a`);
});
