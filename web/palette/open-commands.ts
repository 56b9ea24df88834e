/** What can be done with what is open, offered by `Ctrl K`. */
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Command } from "./commands.ts";

export const openCommands = signal<readonly Command[]>([]);

/** Offers them while the component is shown. */
export function useOpenCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  const names = commands.map(({ name }) => name).join("\n");
  useLayoutEffect(() => {
    openCommands.value = latest.current.map((command, i) => ({
      ...command,
      run: () => latest.current[i]?.run(),
    }));
    return () => {
      openCommands.value = [];
    };
  }, [names]);
}
