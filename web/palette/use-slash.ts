/** Runs slash commands, one at a time, and keeps the answer of the last one. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { problemOf } from "../data/api.ts";
import { slashCommands } from "./slash.ts";

interface Answer {
  lines: readonly string[];
  bad?: boolean;
}

export function useSlash(onDone: () => void) {
  const answer = useSignal<Answer | undefined>(undefined);
  const busy = useSignal(false);
  const waiting = useRef<AbortController | undefined>(undefined);
  /** What was typed, and was not run yet because it takes something from somebody else. */
  const warned = useRef<string | undefined>(undefined);
  useEffect(() => () => waiting.current?.abort(), []);

  const run = async (typed: string) => {
    const name = typed.split(/\s/)[0]!;
    const command = slashCommands.find((one) => one.name === name);
    if (!command) {
      const all = slashCommands.map((one) => one.name).join(", ");
      answer.value = { lines: [`There is no command ${name}. The commands are ${all}.`], bad: true };
      return;
    }
    if (command.takes && warned.current !== typed) {
      warned.current = typed;
      answer.value = { lines: [command.takes] };
      return;
    }
    warned.current = undefined;
    waiting.current?.abort();
    const ending = new AbortController();
    waiting.current = ending;
    busy.value = true;
    answer.value = undefined;
    try {
      answer.value = { lines: await command.run(typed.slice(name.length).trim(), ending.signal) };
      onDone();
    } catch (error) {
      if (ending.signal.aborted) return;
      const { message, hint } = problemOf(error);
      answer.value = { lines: [message, ...(hint ? [hint] : [])], bad: true };
    }
    busy.value = false;
  };
  const clear = () => {
    answer.value = undefined;
    warned.current = undefined;
  };
  return { run: (typed: string) => void run(typed), answer: answer.value, busy: busy.value, clear };
}
