/** [A13] One turn of an agent program. A message that arrives during the turn ends it, and becomes the next prompt. */
import type { Interruptions } from "./runner.ts";

/** What the transcript says about it; the message itself is the next prompt. */
export const interrupted = { kind: "notice", text: "its turn was interrupted by a message" } as const;

export async function interruptible<T>(
  interruptions: Interruptions,
  turn: Promise<T>,
  end: () => unknown,
): Promise<{ ended: T; told?: string }> {
  let taken = Promise.resolve<string | undefined>(undefined);
  const take = async (before: string | undefined) => {
    // A message that arrives while the turn is ending is for the next turn.
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
