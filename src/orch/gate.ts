/** [Q12] A gate: a command that looks at what came out, and may refuse it. Exit 2 refuses; its standard error says why. */
import { killTree } from "./processes.ts";

export type Verdict = { passed: true; warning?: string } | { passed: false; feedback: string };

const refusal = 2;
const feedbackLimit = 64 * 1024;

/** The result is on its standard input, as one line of JSON. */
export async function askGate(
  gate: readonly string[],
  about: Record<string, unknown>,
  { cwd, env, mark, signal }: { cwd: string; env: Record<string, string>; mark: string; signal: AbortSignal },
): Promise<Verdict> {
  let child: Bun.Subprocess<Blob, "ignore", "pipe">;
  try {
    child = Bun.spawn([...gate], {
      cwd,
      env,
      stdin: new Blob([`${JSON.stringify(about)}\n`]),
      stdout: "ignore",
      stderr: "pipe",
      detached: true,
    });
  } catch (error) {
    return { passed: true, warning: `the gate ${gate[0]} could not be started: ${(error as Error).message}` };
  }
  const stop = () => void killTree(mark, undefined, process.pid);
  signal.addEventListener("abort", stop, { once: true });
  const said = (await new Response(child.stderr).text()).slice(-feedbackLimit).trim().toWellFormed();
  const code = await child.exited;
  signal.removeEventListener("abort", stop);
  if (code === refusal) return { passed: false, feedback: said || "the gate refused it without a word" };
  if (code === 0) return { passed: true };
  return { passed: true, warning: `the gate ${gate[0]} ended with status ${code}: ${said}` };
}
