/** A program in a terminal, as a person sits before it: keys in, and what stands on the screen out. */
import { bareEnvironment, program } from "./cli.ts";

export interface Seat {
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Waits until the text has appeared since the last time, and answers with all that came. */
  sees(text: string): Promise<string>;
  exited: Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function sitDown(args: readonly string[], cwd: string, env: Record<string, string> = {}): Seat {
  let screen = "";
  let shown = 0;
  let over = false;
  let wake = () => {};
  const child = Bun.spawn([program, ...args], {
    cwd,
    env: bareEnvironment({ TERM: "xterm", ...env }),
    terminal: {
      cols: 120,
      rows: 40,
      data(_, bytes) {
        screen += new TextDecoder().decode(bytes);
        wake();
      },
      // Not when the program has ended: what it has written last may still be on its way.
      exit() {
        over = true;
        wake();
      },
    },
  });
  return {
    type: (keys) => void child.terminal!.write(keys),
    resize: (columns, rows) => child.terminal!.resize(columns, rows),
    async sees(text) {
      const patience = performance.now() + 60_000;
      let timer: Timer | undefined;
      for (;;) {
        const at = screen.indexOf(text, shown);
        if (at >= 0) {
          const part = screen.slice(shown, at + text.length);
          shown = at + text.length;
          return part;
        }
        const why = over ? "it ended" : performance.now() > patience ? "a minute has passed" : undefined;
        if (why) throw new Error(`${why}; ${JSON.stringify(text)} never came: ${screen.slice(shown)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, patience - performance.now() + 1);
        });
        clearTimeout(timer);
      }
    },
    exited: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      child.terminal!.close();
    },
  };
}
