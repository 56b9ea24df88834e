/** A real Claude Code, where there is one: `TEST_CLAUDE`, else `claude` on the path. Nothing here downloads it. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { program, root } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";
import type { ScriptedModel } from "./scripted-model.ts";

export const claude = process.env.TEST_CLAUDE || Bun.which("claude") || undefined;
if (!claude)
  console.warn(
    "no Claude Code here: set TEST_CLAUDE to the program to run the tests of it, which are skipped",
  );
export const plugin = join(root, "plugin");

export interface Session {
  /** Its own, with a bus in it if a test makes one. */
  project: string;
  env: Record<string, string>;
  start(args: readonly string[], more?: Record<string, string>): Subprocess<"pipe", "pipe", "pipe">;
  [Symbol.dispose](): void;
}

/** A home and a project of its own, and no way out but to the model on loopback. */
export function claudeHere(model: ScriptedModel): Session {
  const folder = temporaryFolder();
  const [project, home, bin] = ["project", "home", "bin"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [project, home, bin]) mkdirSync(path);
  symlinkSync(program, join(bin, "inbox"));
  const nowhere = "http://127.0.0.1:9";
  const env: Record<string, string> = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: home,
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: model.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: "127.0.0.1,localhost",
  };
  return {
    project,
    env,
    start: (args, more) =>
      Bun.spawn([claude!, ...args], {
        cwd: project,
        env: { ...env, ...more },
        stdin: "pipe",
        stdout: "pipe",
        stderr: "pipe",
      }),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

// biome-ignore lint/suspicious/noExplicitAny: its records have many shapes
export type Printed = Record<string, any>;

/** Print mode: one prompt, all that it printed, and its last word. `name` is the key by which the model knows it. */
export async function printed(
  session: Session,
  name: string,
  prompt: string,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<{ code: number; records: Printed[]; first: Printed; result: string }> {
  const child = session.start(["-p", prompt, "--output-format", "stream-json", "--verbose", ...args], {
    ANTHROPIC_API_KEY: name,
    ...more,
  });
  await child.stdin.end();
  const [code, out, error] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (!out) throw new Error(`claude ended with ${code}: ${error}`);
  const records = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Printed);
  return {
    code,
    records,
    first: records.find(({ subtype }) => subtype === "init")!,
    result: records.findLast(({ type }) => type === "result")?.result,
  };
}
