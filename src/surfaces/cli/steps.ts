/** [N1] [N3] Runs commands one after another and shows each: printed as it can be typed, and then run like that. */

import { type ErrorCode, type ErrorShape, errorTable, InboxError } from "../../contract/errors.ts";
import { shellWord } from "../../contract/shell-word.ts";
import { programWords } from "../../orch/program.ts";
import { fs } from "../../platform/system.ts";
import { safe } from "../text/safe.ts";
import { paintFor } from "./output.ts";

type Env = Record<string, string | undefined>;
type Name = "inbox" | "orch";

export interface StepOptions {
  cwd: string;
  env: Env;
  /** Standard output is for one answer in JSON: everything else goes to standard error. */
  json: boolean;
  /**
   * Commands get their own process group, so that Ctrl-C reaches only the process that runs the steps, which ends
   * them with `stop`.
   */
  apart?: boolean;
}

export interface Ran {
  code: number;
  /** Its answer in JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has an answer of its own
  answer: any;
}

export interface Steps {
  say(text: string): void;
  note(text: string): void;
  /** Shows a command and its output, and returns its answer in JSON. A failure ends all steps. */
  run(program: Name, ...words: string[]): Promise<void>;
  /** The same, but shows only the command and the lines that `tell` makes of its answer. */
  ask(program: Name, words: string[], tell?: (answer: Ran["answer"]) => string[]): Promise<Ran>;
  /** With the terminal, so that it can ask questions. */
  hand(program: Name, ...words: string[]): Promise<number>;
  /** Its lines as they are printed. */
  follow(program: Name, words: string[], line: (text: string) => void): Promise<void>;
  /** Ends the running commands, and waits for them; no more are started. */
  stop(): Promise<void>;
}

/** What a command has refused, from what it printed: as JSON, or for people. */
function refusalIn(printed: string): ErrorShape | undefined {
  const [, message, code, hint] = /^error (.+) \((\w+)\)\nhint {2}(.+)$/s.exec(printed.trim()) ?? [];
  if (code !== undefined && code in errorTable)
    return { code: code as ErrorCode, message: message!, hint: hint! };
  try {
    return (JSON.parse(printed) as { error?: ErrorShape }).error;
  } catch {
    return undefined;
  }
}

/** Starts the commands, and keeps track of those that run. */
function startingSteps({ cwd, env, apart }: Required<Omit<StepOptions, "json">>) {
  const running = new Set<Bun.Subprocess>();
  let stopped = false;
  function spawn(program: Name, words: readonly string[], stdio: "pipe" | "inherit") {
    if (stopped) throw new InboxError("storage", "the steps were interrupted");
    const child = Bun.spawn([...programWords(), ...words], {
      cwd,
      env: { ...(env as Record<string, string>), INBOX_PROGRAM: program },
      stdin: stdio === "pipe" ? "ignore" : "inherit",
      stdout: stdio,
      stderr: stdio === "pipe" ? "pipe" : "inherit",
      detached: apart && stdio === "pipe",
    });
    running.add(child);
    void child.exited.then(() => running.delete(child));
    return child;
  }
  async function stop() {
    stopped = true;
    const children = [...running];
    for (const child of children) child.kill("SIGTERM");
    await Promise.all(children.map((child) => child.exited));
  }
  return { spawn, stop };
}

export function openSteps({ cwd, env, json, apart = false }: StepOptions): Steps {
  const paint = paintFor(json ? 2 : 1);
  const write = (text: string) => {
    try {
      fs().writeSync(json ? 2 : 1, `${text}\n`);
    } catch {
      // Nobody reads the output: the steps are done nevertheless.
    }
  };
  const show = (program: Name, words: readonly string[]) =>
    write(`${paint.dim("  $")} ${paint.cyan([program, ...words.map(shellWord)].join(" "))}`);
  const indented = (text: string) =>
    safe(text)
      .trimEnd()
      .replace(/^(?=.)/gm, "    ");
  const { spawn, stop } = startingSteps({ cwd, env, apart });
  const finished = async (program: Name, words: readonly string[]) => {
    const child = spawn(program, words, "pipe");
    const [code, out, err] = await Promise.all([
      child.exited,
      new Response(child.stdout as ReadableStream).text(),
      new Response(child.stderr as ReadableStream).text(),
    ]);
    return { code, out, err };
  };
  const failed = (program: Name, words: readonly string[], why: string) => {
    const command = [program, ...words.map(shellWord)].join(" ");
    const refused = refusalIn(why);
    if (!refused)
      return new InboxError("storage", `${command} failed: ${why.trim()}`, {
        hint: "run that command by itself; what was done before it stays",
      });
    const { code, message, hint } = refused;
    return new InboxError(code, `${command}: ${message}`, {
      hint: `${hint}; what was done before that command stays`,
    });
  };

  return {
    say: (text) => write(`\n${paint.bold(text)}`),
    note: (text) => write(`    ${text}`),
    async run(program, ...words) {
      show(program, words);
      const { code, out, err } = await finished(program, words);
      if (code !== 0) throw failed(program, words, err || out);
      if (out.trim()) write(indented(out));
    },
    async ask(program, words, tell) {
      show(program, words);
      const { code, out, err } = await finished(program, [...words, "--json"]);
      let answer: Ran["answer"];
      try {
        answer = JSON.parse(out);
      } catch {
        throw failed(program, words, err || out);
      }
      if (code !== 0 && answer.ok === false) throw failed(program, words, out);
      for (const line of tell?.(answer) ?? []) write(indented(line));
      return { code, answer };
    },
    async hand(program, ...words) {
      show(program, words);
      return spawn(program, words, "inherit").exited;
    },
    async follow(program, words, line) {
      const child = spawn(program, words, "pipe");
      let rest = "";
      const decoder = new TextDecoder();
      for await (const bytes of child.stdout as ReadableStream<Uint8Array>) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop()!;
        for (const each of lines) line(each);
      }
      await child.exited;
    },
    stop,
  };
}
