/** [Q12] A gate: a command that checks a result and can refuse it. Exit 2 refuses; its standard error says why. */
import { plural } from "../contract/plural.ts";
import { type CommandEnd, type CommandPlace, runCommand } from "./run-command.ts";

export type Verdict = { passed: true; warning?: string } | { passed: false; feedback: string };

const refusal = 2;
const feedbackLimit = 64 * 1024;

/** The result is on its standard input, as one line of JSON. A gate that takes too long counts as broken. */
export async function askGate(
  gate: readonly string[],
  about: Record<string, unknown>,
  place: CommandPlace,
): Promise<Verdict> {
  try {
    const input = `${JSON.stringify(about)}\n`;
    const end = await runCommand(gate, place, { input, keeps: "stderr", limit: feedbackLimit });
    if (!end.late) return verdictOf(gate[0]!, end);
    const seconds = place.limitMs! / 1000;
    return {
      passed: true,
      warning: `the gate ${gate[0]} exceeded its timeout of ${plural(seconds, "second")}`,
    };
  } catch (error) {
    return { passed: true, warning: `the gate ${gate[0]} could not be started: ${(error as Error).message}` };
  }
}

function verdictOf(gate: string, { code, output: said }: CommandEnd): Verdict {
  if (code === refusal) return { passed: false, feedback: said || "the gate rejected it without output" };
  if (code === 0) return { passed: true };
  const how = code === null ? "was killed" : `ended with status ${code}`;
  return { passed: true, warning: `the gate ${gate} ${how}${said && `: ${said}`}` };
}
