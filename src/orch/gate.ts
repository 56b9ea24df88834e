/** [Q12] A gate: a command that looks at what came out, and may refuse it. Exit 2 refuses; its standard error says why. */
import { withoutTokens } from "../contract/secret.ts";
import { spawnPiped } from "./spawn.ts";

export type Verdict = { passed: true; warning?: string } | { passed: false; feedback: string };

const refusal = 2;
const feedbackLimit = 64 * 1024;

export interface GatePlace {
  cwd: string;
  env: Record<string, string>;
  /** Ends what the gate has started and left; it would hold its standard error open. */
  clear(): Promise<void>;
  /** One that takes longer is ended, and counts as broken. */
  limitMs?: number;
}

/** The result is on its standard input, as one line of JSON. */
export async function askGate(
  gate: readonly string[],
  about: Record<string, unknown>,
  { cwd, env, clear, limitMs }: GatePlace,
): Promise<Verdict> {
  let timer: Timer | undefined;
  try {
    const argv = [Bun.which(gate[0]!, { PATH: env.PATH ?? "" }) ?? gate[0]!, ...gate.slice(1)];
    const { process: child, stdout, stderr } = spawnPiped(argv, { argv0: gate[0]!, cwd, env, input: true });
    void tell(child.stdin!, about);
    const said = endOf(stderr);
    void endOf(stdout);
    let late = false;
    if (limitMs !== undefined)
      timer = setTimeout(() => {
        late = true;
        void clear();
      }, limitMs);
    await child.exited;
    await clear();
    if (late)
      return {
        passed: true,
        warning: `the gate ${gate[0]} exceeded its timeout of ${limitMs! / 1000} seconds`,
      };
    return verdictOf(gate[0]!, child.exitCode, await said);
  } catch (error) {
    return { passed: true, warning: `the gate ${gate[0]} could not be started: ${(error as Error).message}` };
  } finally {
    clearTimeout(timer);
  }
}

function verdictOf(gate: string, code: number | null, said: string): Verdict {
  if (code === refusal) return { passed: false, feedback: said || "the gate rejected it without output" };
  if (code === 0) return { passed: true };
  const how = code === null ? "was killed" : `ended with status ${code}`;
  return { passed: true, warning: `the gate ${gate} ${how}${said && `: ${said}`}` };
}

async function tell(input: { write(text: string): unknown; end(): unknown }, about: Record<string, unknown>) {
  try {
    input.write(`${JSON.stringify(about)}\n`);
    await input.end();
  } catch {
    // It need not read what it is told.
  }
}

async function endOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const bytes of stream)
    end = (end + decoder.decode(bytes, { stream: true })).slice(-feedbackLimit);
  return withoutTokens(end.toWellFormed().replaceAll("\u0000", "\ufffd").trim());
}
