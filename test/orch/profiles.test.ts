import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { chooseProfile, describeProfiles } from "../../src/orch/profiles/profile-list.ts";
import { loadProfiles } from "../../src/orch/profiles/profiles-file.ts";
import { root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { refusal } from "../support/refusal.ts";

async function written(toml: string) {
  const folder = temporaryFolder();
  const file = join(folder.path, ".agents/agents.toml");
  await Bun.write(file, toml);
  return { ...folder, file };
}

async function loaded(toml: string) {
  using folder = await written(toml);
  return { ...loadProfiles(folder.file), path: folder.path };
}

async function mistake(toml: string) {
  using folder = await written(toml);
  const error = await refusal(Promise.try(() => loadProfiles(folder.file)));
  expect(error.code).toBe("invalid_input");
  expect(error.message).toStartWith(folder.file);
  return { says: error.message.slice(folder.file.length), hint: error.hint, details: error.details };
}

async function program(path: string, mode = 0o755) {
  await Bun.write(path, "#!/bin/sh\n");
  chmodSync(path, mode);
}

describe("what a file says", () => {
  test("[Q8] runners and profiles, with everything that can be said", async () => {
    const profiles = await loaded(`
      default = "reviewer"
      max_running = 12
      [runners.mine]
      command = ["mine", "--go", "{prompt}"]
      model = ["-m", "{model}"]
      output = "json"
      env = { COLOR = "never" }
      pass_env = ["NPM_TOKEN", "AWS_*"]
      concurrency = 2
      timeout = 600.5
      retries = 3
      resume = ["mine", "--resume", "{session}"]
      [runners.other]
      kind = "acp"
      command = ["other", "acp"]
      permission = "allow"
      [profiles.reviewer]
      runner = "mine"
      model = "big"
      instructions = """
Review.
"""
      gate = ["make", "check"]
      [profiles.worker]
      runner = "other"
      gate = { end = ["a"], idle = ["b", "c"] }
    `);
    expect(profiles).toMatchObject({ default: "reviewer", maxRunning: 12, maxTranscriptMib: 1024 });
    const mine = {
      name: "mine",
      kind: "command",
      command: ["mine", "--go", "{prompt}"],
      prompt: "stdin",
      model: ["-m", "{model}"],
      output: "json",
      env: { COLOR: "never" },
      passEnv: ["NPM_TOKEN", "AWS_*"],
      concurrency: 2,
      timeoutSeconds: 600.5,
      retries: 3,
      resume: ["mine", "--resume", "{session}"],
      permission: "inherit",
      reportsUsage: false,
    } as const;
    const noWorktrees = {
      worktree: "auto",
      prepare: null,
      share: [],
      check: null,
      ask: "user",
      askTimeoutSeconds: 600,
      review: null,
      reviewRounds: 3,
    } as const;
    expect(profiles.all.get("mine")).toEqual({
      name: "mine",
      runner: mine,
      model: null,
      instructions: null,
      permission: null,
      gate: null,
      gateIdle: null,
      budget: null,
      ...noWorktrees,
    });
    expect(profiles.all.get("reviewer")).toEqual({
      name: "reviewer",
      runner: mine,
      model: "big",
      instructions: "Review.\n",
      permission: null,
      gate: ["make", "check"],
      gateIdle: null,
      budget: null,
      ...noWorktrees,
    });
    expect(profiles.all.get("worker")).toMatchObject({
      runner: {
        kind: "acp",
        command: ["other", "acp"],
        permission: "allow",
        retries: 0,
        timeoutSeconds: null,
      },
      gate: ["a"],
      gateIdle: ["b", "c"],
    });
  });

  test("[Q8] the built-in ones are there without a file, and beside one", async () => {
    const names = ["claude", "codex", "gemini", "opencode"];
    for (const profiles of [
      loadProfiles(undefined),
      loadProfiles("/nonexistent/.agents/agents.toml"),
      await loaded(""),
    ]) {
      expect([...profiles.all.keys()]).toEqual(names);
      expect(profiles.default).toBeNull();
      for (const name of names)
        expect(profiles.all.get(name)!.runner).toMatchObject({
          kind: name,
          command: [name],
          permission: "inherit",
        });
    }
  });

  test("[Q8] a table with a built-in's name changes that one, and keeps what it does not name", async () => {
    const { all } = await loaded(`
      [runners.claude]
      command = ["claude", "--permission-mode", "plan"]
      [runners.codex]
      concurrency = 1
      [runners.gemini]
      kind = "command"
      command = ["gemini", "-p", "{prompt}"]
      [profiles.opencode]
      model = "x/y"
    `);
    expect(all.get("claude")!.runner).toMatchObject({
      kind: "claude",
      command: ["claude", "--permission-mode", "plan"],
    });
    expect(all.get("codex")!.runner).toMatchObject({ kind: "codex", command: ["codex"], concurrency: 1 });
    expect(all.get("gemini")!.runner.kind).toBe("command");
    expect(all.get("opencode")).toMatchObject({ model: "x/y", runner: { kind: "opencode" } });
  });

  test("[Q8] a program's path is meant from the folder that holds .agents", async () => {
    const { all, path } = await loaded(`
      [runners.near]
      command = ["./tools/agent", "./data"]
      resume = ["tools/agent", "--again"]
      [runners.plain]
      command = ["agent"]
      [runners.far]
      command = ["/opt/agent"]
      [profiles.gated]
      runner = "plain"
      gate = ["scripts/gate.sh"]
    `);
    expect(all.get("near")!.runner.command).toEqual([join(path, "tools/agent"), "./data"]);
    expect(all.get("near")!.runner.resume).toEqual([join(path, "tools/agent"), "--again"]);
    expect(all.get("plain")!.runner.command).toEqual(["agent"]);
    expect(all.get("far")!.runner.command).toEqual(["/opt/agent"]);
    expect(all.get("gated")!.gate).toEqual([join(path, "scripts/gate.sh")]);
  });
});

describe("mistakes name file, table and key, and what was meant", () => {
  const mistakes: [title: string, toml: string, says: string, hint: string][] = [
    [
      "an unknown key at the top",
      'defualt = "x"',
      ": defualt is not a key of this table",
      'did you mean "default"?',
    ],
    [
      "an unknown key of a runner",
      '[runners.a]\ncommand = ["x"]\nconcurency = 2',
      ": [runners.a] concurency is not a key",
      '"concurrency"',
    ],
    [
      "an unknown key of a profile",
      '[profiles.claude]\nmodle = "x"',
      ": [profiles.claude] modle is not a key",
      '"model"',
    ],
    [
      "a key that is nothing like another",
      "[profiles.claude]\nzzz = 1",
      ": [profiles.claude] zzz is not a key",
      "the keys are runner, model, instructions, permission, budget, gate",
    ],
    [
      "an unknown key of a gate",
      '[profiles.claude]\ngate = { ende = ["x"] }',
      ": [profiles.claude.gate] ende is not a key",
      '"end"',
    ],
    [
      "text for a command",
      '[runners.a]\ncommand = "prog --x"',
      ': [runners.a] command must be an array of words, got "prog --x"',
      'command = ["prog"',
    ],
    [
      "an empty command",
      "[runners.a]\ncommand = []",
      ": [runners.a] command must be an array of words, got []",
      "command =",
    ],
    [
      "a number among the words",
      '[runners.a]\ncommand = ["x", 1]',
      ": [runners.a] command must be an array of words",
      "command =",
    ],
    ["no command", "[runners.a]\nretries = 1", ": [runners.a] command is missing", "command ="],
    ["no command for ACP", "[runners.acp]", ": [runners.acp] command is missing", "command ="],
    [
      "a negative number",
      '[runners.a]\ncommand = ["x"]\nretries = -1',
      ": [runners.a] retries must be a whole number from 0 up, got -1",
      "orch-profiles",
    ],
    [
      "half an agent",
      '[runners.a]\ncommand = ["x"]\nconcurrency = 1.5',
      ": [runners.a] concurrency must be a whole number from 1 up, got 1.5",
      "orch-profiles",
    ],
    [
      "a timeout in words",
      '[runners.a]\ncommand = ["x"]\ntimeout = "5m"',
      ': [runners.a] timeout must be a number from 0.001 up, got "5m"',
      "orch-profiles",
    ],
    [
      "none running",
      "max_running = 0",
      ": max_running must be a whole number from 1 up, got 0",
      "orch-profiles",
    ],
    [
      "an unknown kind",
      '[runners.a]\nkind = "claud"',
      ': [runners.a] kind must be one of command, claude, codex, gemini, opencode, acp, got "claud"',
      '"claude"',
    ],
    [
      "an unknown output",
      '[runners.a]\ncommand = ["x"]\noutput = "jsn"',
      ": [runners.a] output must be one of text, json",
      '"json"',
    ],
    [
      "a number in the environment",
      '[runners.a]\ncommand = ["x"]\nenv = { A = 1 }',
      ": [runners.a] env must be a table of texts",
      "env =",
    ],
    [
      "a key that does nothing here",
      '[runners.claude]\noutput = "json"',
      ': [runners.claude] output has no effect with kind = "claude"',
      "the keys are kind",
    ],
    [
      "an unknown runner",
      '[profiles.p]\nrunner = "claued"',
      ': [profiles.p] runner names "claued", which is not a runner',
      '"claude"',
    ],
    [
      "a profile is no runner",
      '[profiles.p]\nrunner = "claude"\n[profiles.q]\nrunner = "p"',
      ': [profiles.q] runner names "p", which is not a runner',
      "there are claude",
    ],
    [
      "a profile without a runner",
      '[profiles.p]\nmodel = "x"',
      ": [profiles.p] runner is missing",
      "there are claude",
    ],
    [
      "an unknown default",
      'default = "mien"\n[runners.mine]\ncommand = ["x"]',
      ': default names "mien", which is neither a profile nor a runner',
      '"mine"',
    ],
    [
      "a flag without the model",
      '[runners.a]\ncommand = ["x"]\nmodel = ["--fast"]',
      ": [runners.a] model must contain {model}",
      "--model",
    ],
    [
      "a model that goes nowhere",
      '[runners.a]\ncommand = ["x"]\n[profiles.p]\nrunner = "a"\nmodel = "big"',
      ": [profiles.p] model is set, but the runner",
      "[runners.a]",
    ],
    [
      "a mistyped place",
      '[runners.a]\ncommand = ["x", "{promt}"]',
      ": [runners.a] command contains {promt}, which is not a known placeholder",
      "{prompt}",
    ],
    [
      "the prompt inside a shell's code",
      '[runners.a]\ncommand = ["env", "/bin/bash", "-lc", "echo {prompt}"]',
      ': [runners.a] command contains "echo {prompt}": the inserted text would be run as code',
      '"$INBOX_PROMPT"',
    ],
    [
      "a name inside another program's code",
      '[runners.a]\ncommand = ["python3", "-c", "print(\'{name}\')"]',
      ": [runners.a] command contains \"print('{name}')\": the inserted text would be run as code",
      "as an argument",
    ],
    [
      "no variable's name",
      '[runners.a]\ncommand = ["x"]\npass_env = ["A=b"]',
      ': [runners.a] pass_env contains "A=b", which is not a variable name',
      "NPM_TOKEN",
    ],
    [
      "the prompt twice",
      '[runners.a]\ncommand = ["x", "{prompt}"]\nprompt = "argument"',
      ": [runners.a] prompt duplicates {prompt} in command",
      "leave out one",
    ],
    [
      "a session from nowhere",
      '[runners.a]\ncommand = ["x"]\nresume = ["x", "{session}"]',
      ": [runners.a] resume contains {session}, but the runner",
      "{session} to command",
    ],
    ["runners that are no table", "runners = 1", ": runners must be a table of tables, got 1", "[runners."],
    [
      "a runner that is no table",
      "[runners]\nfast = 1",
      ": [runners] fast must be a table, got 1",
      "[runners.fast]",
    ],
    [
      "a name that needs quotes",
      '[runners."a b"]\nx = 1',
      ': [runners."a b"] x is not a key',
      "the keys are kind",
    ],
    [
      "no TOML",
      'default = "claude"\n[runners.a]\ncommand = ["x"\nretries = 1\n',
      ", line 3 or after: ",
      "TOML",
    ],
    [
      "a table twice",
      "[runners.codex]\nretries = 1\n[runners.codex]\nretries = 2",
      ", line 3 or after: ",
      "TOML",
    ],
  ];
  for (const [title, toml, says, hint] of mistakes)
    test(`[Q8] ${title}`, async () => {
      const error = await mistake(toml);
      expect(error.says).toStartWith(says);
      expect(error.hint).toContain(hint);
    });

  test("[Q8] the details name them for programs", async () => {
    const { details } = await mistake('[runners.a]\ncommand = ["x"]\nretires = 1');
    expect(details).toMatchObject({ table: "runners.a", key: "retires" });
  });
});

describe("which is meant, and which are there", () => {
  test("[Q8] the one that is named, else the file's default, else the first that is installed", async () => {
    using bin = temporaryFolder();
    const mine = await loaded('default = "mine"\n[runners.mine]\ncommand = ["mine"]');
    expect(chooseProfile(mine, undefined, bin.path).name).toBe("mine");
    expect(chooseProfile(mine, "codex", bin.path).name).toBe("codex");
    const none = loadProfiles(undefined);
    await program(join(bin.path, "opencode"));
    expect(chooseProfile(none, undefined, bin.path).name).toBe("opencode");
    await program(join(bin.path, "codex"));
    expect(chooseProfile(none, undefined, `/nonexistent:${bin.path}`).name).toBe("codex");
    await program(join(bin.path, "claude"), 0o644);
    expect(chooseProfile(none, undefined, bin.path).name).toBe("codex");
  });

  test("[Q8] nothing installed, and a name that is not there, are refused with the way out", async () => {
    const none = loadProfiles(undefined);
    const nothing = await refusal(Promise.try(() => chooseProfile(none, undefined, "/nonexistent")));
    expect(nothing.message).toContain("none of claude, codex, gemini, opencode is installed");
    expect(nothing.hint).toContain("npm install -g");
    expect(nothing.hint).toContain(".agents/agents.toml");
    const typo = await refusal(Promise.try(() => chooseProfile(none, "cluade", "/nonexistent")));
    expect(typo.hint).toBe('did you mean "claude"?');
  });

  test("[Q8] installed programs are shown with their path, missing ones with how to install them", async () => {
    using folder = await written(`
      [runners.mine]
      command = ["./mine"]
      [runners.flat]
      command = ["./flat"]
      [profiles.deep]
      runner = "codex"
      model = "big"
    `);
    await program(join(folder.path, "mine"));
    await program(join(folder.path, "flat"), 0o644);
    await program(join(folder.path, "bin/codex"));
    const lines = describeProfiles(loadProfiles(folder.file), join(folder.path, "bin"));
    const codex = {
      runner: "codex",
      reports: { tokens: "live", cost: "none" },
      installed: true,
      program: join(folder.path, "bin/codex"),
      hint: null,
    } as const;
    const nothing = { tokens: "none", cost: "none" } as const;
    const usual = { model: null, permission: "inherit", interrupts: "resume" } as const;
    expect(lines).toEqual([
      {
        name: "claude",
        runner: "claude",
        ...usual,
        reports: { tokens: "live", cost: "end" },
        installed: false,
        program: "claude",
        hint: "npm install -g @anthropic-ai/claude-code",
      },
      { name: "codex", ...usual, ...codex },
      {
        name: "gemini",
        runner: "gemini",
        ...usual,
        interrupts: "cancel",
        reports: { tokens: "end", cost: "none" },
        installed: false,
        program: "gemini",
        hint: "npm install -g @google/gemini-cli",
      },
      {
        name: "opencode",
        runner: "opencode",
        ...usual,
        reports: { tokens: "live", cost: "live" },
        installed: false,
        program: "opencode",
        hint: "npm install -g opencode-ai",
      },
      {
        name: "mine",
        runner: "mine",
        model: null,
        permission: null,
        interrupts: null,
        reports: nothing,
        installed: true,
        program: join(folder.path, "mine"),
        hint: null,
      },
      {
        name: "flat",
        runner: "flat",
        model: null,
        permission: null,
        interrupts: null,
        reports: nothing,
        installed: false,
        program: join(folder.path, "flat"),
        hint: `make ${join(folder.path, "flat")} a program that can be run, or write another path in [runners.flat] command`,
      },
      { name: "deep", ...usual, model: "big", ...codex },
    ]);
  });
});

test("[Q8] the worked example of the documents is true", async () => {
  const text = await Bun.file(join(root, "docs/orch-profiles.md")).text();
  const example = /```toml\n([\s\S]*?)```/.exec(text)![1]!;
  const { all, default: named, maxRunning, maxTranscriptMib, path } = await loaded(example);
  expect({ named, maxRunning, maxTranscriptMib }).toEqual({
    named: "coder",
    maxRunning: 12,
    maxTranscriptMib: 256,
  });
  expect([...all.keys()]).toEqual([
    ...["claude", "codex", "gemini", "opencode", "llm", "script", "mine", "goose"],
    ...["coder", "critic", "worker"],
  ]);
  expect(all.get("coder")!.runner).toMatchObject({
    kind: "claude",
    permission: "allow",
    timeoutSeconds: 1800,
  });
  expect(all.get("script")!.runner.command[0]).toBe(join(path, "tools/agent.sh"));
  expect(all.get("worker")!.gateIdle).toEqual([join(path, "tools/idle.sh")]);
  // Every key that the table of the document names is one, and there is no other.
  const rows = [...text.matchAll(/^\| (`\w+`(?:, `\w+`)*)(?: \(`?\w+`?\))? \|/gm)].flatMap(
    ([, keys]) => keys!.match(/\w+/g)!,
  );
  const error = await mistake('[runners.x]\nkind = "acp"\nzzz = 1');
  const command = await mistake("[runners.x]\nzzz = 1");
  const top = await mistake("zzz = 1");
  const others = ["default", "max_running", "max_transcript_mib", "runners", "profiles"];
  const keys = new Set(
    [error, command, top].flatMap(({ hint }) => hint.replace("the keys are ", "").split(", ")),
  );
  for (const other of others) keys.delete(other);
  const programs = ["claude", "codex", "gemini", "opencode", "acp"];
  expect(new Set(rows.filter((key) => !programs.includes(key)))).toEqual(keys);
});
