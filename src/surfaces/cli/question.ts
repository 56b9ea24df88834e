/** A question to the person at the terminal. */
import { fs, isTerminal } from "../../platform/system.ts";
import { complain } from "./output.ts";

export const isAtTerminal = () => isTerminal(0) && isTerminal(1);

export function agrees(question: string): boolean {
  complain(`${question} [y/N] `);
  return /^y(es)?$/i.test(answerLine());
}

function answerLine(): string {
  const byte = new Uint8Array(1);
  let line = "";
  while (fs().readSync(0, byte, 0, 1, null) === 1 && byte[0] !== 10) line += String.fromCharCode(byte[0]!);
  return line.trim();
}
