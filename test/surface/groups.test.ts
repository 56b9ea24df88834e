/** Help of words that begin several commands. */
import { expect, test } from "bun:test";
import { commandNames, groupSummary, type Program } from "../../src/surfaces/cli/commands.ts";
import { desk, orch, program, run } from "../support/cli.ts";

const programs: [Program, string][] = [
  ["inbox", program],
  ["orch", orch],
];

const groupsOf = (name: Program) => [
  ...new Set(commandNames(name).flatMap((command) => command.split(" ").slice(0, -1)[0] ?? [])),
];

test("[C12] help lists every command of either program", async () => {
  for (const [name, path] of programs) {
    const { stdout } = await run(["--help"], { program: [path] });
    const missing = commandNames(name).filter((one) => !new RegExp(`^  ${one}( |$)`, "m").test(stdout));
    expect([name, missing]).toEqual([name, []]);
  }
});

test("[C12] every group of commands has a help that lists them all, by --help and by help", async () => {
  expect(groupsOf("inbox")).toContain("msg");
  for (const [name, path] of programs)
    for (const group of groupsOf(name)) {
      const help = await run([group, "--help"], { program: [path] });
      expect([group, help.code, help.stderr]).toEqual([group, 0, ""]);
      for (const command of commandNames(name).filter((one) => one.startsWith(`${group} `)))
        expect(help.stdout).toContain(`  ${command}`);
      expect((await run(["help", group], { program: [path] })).stdout).toBe(help.stdout);
      expect(groupSummary(group)).not.toContain("Commands of the group");
    }
});

test("[C12] the help of a command with three words is found, too", async () => {
  const { stdout } = await run(["help", "msg", "ack", "all"]);
  expect(stdout).toContain("Usage: inbox msg ack all");
  expect((await run(["msg", "ack", "all", "--help"])).stdout).toBe(stdout);
});

test("[C12] a mistyped command of a group, or a group, gets the closest one", async () => {
  const said = async (...args: string[]) => {
    const { code, json } = await run([...args, "--json"]);
    expect(code).toBe(30);
    return json.error as { message: string; hint: string };
  };
  expect((await said("msg", "snd")).message).toContain('did you mean "send"?');
  expect((await said("help", "dlq", "lst")).message).toContain('did you mean "list"?');
  expect((await said("mgs")).message).toContain('did you mean "msg"?');
  const alone = await said("msg");
  expect(alone.message).toContain("one of: send, inbox, ");
  expect(alone.hint).toStartWith("inbox msg --help");
});

test("[C3] help lists every exit code, those of signals too", async () => {
  for (const [, path] of programs) {
    const { stdout } = await run(["--help"], { program: [path] });
    for (const code of [0, 1, 10, 20, 30, 40, 50, 130, 141, 143])
      expect(stdout).toMatch(new RegExp(`\\b${code} `));
  }
});

test("[C12.3] a subcommand without its group is refused with the whole command, and a flag as a command with the flag", async () => {
  using at = await desk();
  const said = async (word: string) => (await at.inbox(word)).json.error;
  expect(await said("snooze")).toMatchObject({
    message: 'inbox has no command "snooze"; did you mean "entries snooze"?',
    hint: "inbox help entries snooze shows its usage",
  });
  expect((await said("create")).message).toEndWith('did you mean "token create"?');
  expect(await said("version")).toMatchObject({
    message: 'inbox has no command "version"; did you mean "--version"?',
    hint: "it is a flag: inbox --version",
  });
});
