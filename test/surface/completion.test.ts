/** Completion, asked of the shells themselves. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { desk, root, run } from "../support/cli.ts";

const path = `${join(root, "dist")}:${process.env.PATH}`;

let cwd = "/";

async function shell(program: string, ...args: string[]): Promise<string> {
  const child = Bun.spawn([program, ...args], {
    cwd,
    env: { PATH: path, HOME: "/nonexistent", TERM: "dumb" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(err).toBe("");
  return out;
}

async function bash(...words: string[]): Promise<string[]> {
  const line = words.map((word) => `'${word}'`).join(" ");
  const script = `source <(inbox completion bash); COMP_WORDS=(inbox ${line}); COMP_CWORD=${words.length}; _inbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return (await shell("bash", "--norc", "-c", script)).trim().split("\n");
}

test("[C8] bash completes commands, subcommands, flags and values", async () => {
  expect(await bash("cl")).toEqual(["claim"]);
  expect(await bash("pool", "")).toEqual(["join", "leave", "list", "remove"]);
  expect(await bash("claim", "--le")).toEqual(["--lease-seconds", "--lease-token"]);
  expect(await bash("pool", "join", "--po")).toEqual(["--pool"]);
  expect(await bash("update", "--status", "b")).toEqual(["blocked"]);
});

test.skipIf(!Bun.which("fish"))("[C8] fish completes commands, flags and values", async () => {
  const complete = async (line: string) =>
    (await shell("fish", "--no-config", "-c", `inbox completion fish | source; complete -C '${line}'`))
      .trim()
      .split("\n")
      .map((row) => row.split("\t")[0]!);
  expect(await complete("inbox cla")).toEqual(["claim"]);
  expect(await complete("inbox claim --lease-s")).toEqual(["--lease-seconds"]);
  expect(await complete("inbox update --status b")).toEqual(["blocked"]);
  expect(await complete("inbox pool j")).toEqual(["join"]);
});

test.skipIf(!Bun.which("zsh"))("[C8] zsh takes the script and completes", async () => {
  const script = `autoload -Uz compinit; compinit -D -u; source <(inbox completion zsh); (( $+functions[_inbox] )) && print defined $_comps[inbox]`;
  expect(await shell("zsh", "-f", "-c", script)).toBe("defined _inbox\n");
});

test("[C8] names of agents, threads, tasks and topics are completed, as far as a shell can be given them", async () => {
  using at = await desk();
  cwd = at.path;
  try {
    await at.inbox("send", "--from", "lead", "--to", "backend-worker", "--subject", "s");
    await at.inbox("fetch", "--agent", "backend-worker");
    await at.inbox("claim", "--agent", "backend-worker");
    await at.inbox("msg", "send", "builds", "x");
    await at.inbox("send", "lead", "x", "--from", "$(touch hacked)");
    expect(await bash("show", "")).toEqual(["thr_1"]);
    expect(await bash("done", "--thread", "t")).toEqual(["thr_1"]);
    expect(await bash("msg", "inbox", "b")).toContain("builds");
    expect(await bash("send", "--to", "back")).toEqual(["backend-worker"]);
    expect(await bash("claim", "--agent", "le")).toEqual(["lead"]);
    expect(await bash("claim", "--agent", "")).not.toContain("$(touch hacked)");
    expect(await Bun.file(`${at.path}/hacked`).exists()).toBe(false);
    if (Bun.which("fish")) {
      const line = "inbox completion fish | source; complete -C 'inbox show '";
      expect(await shell("fish", "--no-config", "-c", line)).toContain("thr_1");
    }
    // Where there is no bus, nothing is offered and nothing is said.
    cwd = "/";
    expect(await bash("show", "")).toEqual([""]);
  } finally {
    cwd = "/";
  }
});

test("[C8] an unknown shell gets an error with the known ones", async () => {
  const { code, stderr } = await run(["completion", "tcsh"]);
  expect(code).toBe(30);
  expect(stderr).toContain("bash, zsh, fish");
});
