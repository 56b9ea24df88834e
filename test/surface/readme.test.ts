/** What the README shows works as it stands there. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { blockWith } from "../support/readme.ts";
import { until } from "../support/until.ts";

async function bash(script: string, cwd: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
    cwd,
    env: bareEnvironment(),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, stdout, stderr };
}

test("[C8] the sixty-second tour runs to its end", async () => {
  const tour = blockWith("inbox wait-reply");
  const { code, stdout, stderr } = await bash(tour, root);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("A password will do");
  expect(stdout).toContain("thr_1 done");
});

test.skipIf(!Bun.which("jq"))(
  "[L2] the worker of the README does its work, and fails what it cannot do",
  async () => {
    using folder = temporaryFolder();
    const worker = blockWith("claim --wait");
    const script = `
    export PATH="${join(root, "bin")}:$PATH"
    inbox init >/dev/null
    printf '#!/bin/sh\\nread -r line; test "$line" != bad && echo "did $line"\\n' > do-the-work; chmod +x do-the-work
    inbox send --from lead --to ada --subject one --body good >/dev/null
    inbox send --from lead --to ada --subject two --body bad >/dev/null
    set -m # so that it can be ended with all it has started: a claim that is left waits for ever
    ( ${worker} ) >/dev/null &
    pid=$!
    inbox wait-reply thr_2 --agent lead --kinds result --timeout-seconds 30 >/dev/null
    inbox list --json
    kill -- -$pid`;
    const { stdout } = await bash(script, folder.path);
    const { threads } = JSON.parse(stdout);
    expect(threads.map(({ status }: { status: string }) => status)).toEqual(["failed", "done"]);
  },
);

test("[Q2] [Q5] the README's round with sub-agents brings both results", async () => {
  using folder = temporaryFolder();
  const round = blockWith("orch push");
  const script = `export PATH="${join(root, "bin")}:$PATH"\ninbox init\n${round}`;
  // As everybody else: nothing is trusted but what the README itself approves.
  const { code, stdout, stderr } = await bash(`unset INBOX_TRUST\n${script}`, folder.path);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("approach A works");
  expect(stdout).toContain("approach B works");
  expect(stdout).toContain("Finished:");
});

test("[N3] [A5.8] npm run demo plays its round, also in an agent's shell: results gathered, a timeout reported, a question answered, nothing left", async () => {
  using folder = temporaryFolder();
  const child = Bun.spawn(["npm", "run", "demo", "--silent"], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", TMPDIR: folder.path, CLAUDECODE: "1" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stdout] = await Promise.all([child.exited, new Response(child.stdout).text()]);
  expect(code).toBe(0);
  for (const name of ["a", "b", "c"]) expect(stdout).toMatch(new RegExp(`✓ ${name} {2}\\[Task: dataset_`));
  expect(stdout).toContain("✗ d  it exceeded its timeout");
  expect(stdout).toContain("a │ adding them up");
  expect(stdout).toContain("$ orch push name=d timeout=3");
  expect(stdout).toContain("✓ user  Publish");
  expect(readdirSync(folder.path)).toEqual([]);
});

test("[C4] npm start runs the hub and says what to try", async () => {
  using folder = temporaryFolder();
  const args = ["scripts/start.mjs", "--port", "0", "--json", "--db", join(folder.path, "hub.db")];
  const child = Bun.spawn(["node", ...args], { cwd: root, stdout: "pipe", stderr: "pipe" });
  const reader = child.stdout.getReader();
  const { url } = JSON.parse(new TextDecoder().decode((await reader.read()).value));
  const health = (await (await fetch(`${url}/healthz`)).json()) as { ok: boolean };
  expect(health.ok).toBe(true);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("[C13.6] where npm start cannot listen, or is given a wrong flag, the hint is a command that works", async () => {
  using folder = temporaryFolder();
  using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const npmStart = (...args: string[]) =>
    Bun.spawn(["npm", "start", "--silent", "--", ...args, "--db", join(folder.path, "hub.db")], {
      cwd: root,
      stdout: "pipe",
      stderr: "pipe",
    });
  const hintOf = async (...args: string[]) => {
    const said = await new Response(npmStart(...args).stderr).text();
    return /^hint +(.*)$/m.exec(said)?.[1];
  };
  expect(await hintOf("--port", String(taken.port))).toBe(
    "stop it, or choose another port with npm start -- --port N",
  );
  expect(await hintOf("--prot", "1")).toStartWith("npm start -- --help lists its flags;");
  expect(await hintOf("--port", "x")).toContain("for example: npm start -- --port 8080");
});

test("[C4] a hub of npm start ends with npm, also where npm alone is killed", async () => {
  using folder = temporaryFolder();
  const args = ["start", "--silent", "--", "--port", "0", "--json", "--db", join(folder.path, "hub.db")];
  const npm = Bun.spawn(["npm", ...args], { cwd: root, stdout: "pipe", stderr: "pipe" });
  const reader = npm.stdout.getReader();
  const { url, pid } = JSON.parse(new TextDecoder().decode((await reader.read()).value));
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  npm.kill("SIGKILL");
  await npm.exited;
  await until("the hub has ended", () => !existsSync(`/proc/${pid}`));
  const said = await new Response(npm.stderr).text();
  expect(said).toContain("npm has ended, so the hub ends too");
});
