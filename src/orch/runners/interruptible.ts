/** [A13] One turn of an agent program: what comes meanwhile ends it, and is what the agent is told next. */
import type { Interruptions } from "./runner.ts";

/** What the transcript says of it; the message is the next prompt. */
export const interrupted = { kind: "notice", text: "its turn was interrupted by a message" } as const;

export async function interruptible<T>(
  interruptions: Interruptions,
  turn: Promise<T>,
  end: () => unknown,
): Promise<{ ended: T; told?: string }> {
  let taken = Promise.resolve<string | undefined>(undefined);
  const take = async (before: string | undefined) => {
    // One that comes while the turn is ending is for the next.
    if (before !== undefined) return before;
    const told = await interruptions.take();
    if (told !== undefined) await end();
    return told;
  };
  const stop = interruptions.listen(() => {
    taken = taken.then(take);
  });
  try {
    const ended = await turn;
    stop();
    const told = (await taken) ?? (await interruptions.take());
    return { ended, ...(told !== undefined && { told }) };
  } finally {
    stop();
  }
}
