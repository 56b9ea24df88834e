/** Limits what a runner passes on to the sizes and characters that a transcript and a message can have. */
import { withoutTokens } from "../../contract/secret.ts";
import { endOf } from "./kept-end.ts";
import { finalLimit, type Runner, type Talk } from "./runner.ts";

/** The maximum number of bytes of one entry of a transcript; longer texts become several entries. */
export const entryLimit = 64 * 1024;

/** A message cannot contain U+0000 or half a surrogate pair; programs print both. Tokens are removed, too. */
const sound = (text: string) => withoutTokens(text.toWellFormed().replaceAll("\u0000", "\ufffd"));

export function bounded(runner: Runner): Runner {
  return {
    resumes: runner.resumes,
    cancels: runner.cancels,
    launch: runner.launch,
    async follow(talk, job) {
      const { cut: before = 0, ...outcome } = await runner.follow(
        { ...talk, note: inEntries(talk.note) },
        job,
      );
      const whole = sound(outcome.final);
      const final = endOf(whole, finalLimit);
      const cut = before + Buffer.byteLength(whole) - Buffer.byteLength(final);
      return {
        ...outcome,
        final,
        ...(cut > 0 && { cut }),
        ...(outcome.error !== undefined && { error: sound(outcome.error) }),
      };
    },
  };
}

function inEntries(note: Talk["note"]): Talk["note"] {
  return async (entry) => {
    let rest = sound(entry.text);
    do {
      const text = beginningOf(rest, entryLimit);
      await note({ ...entry, text });
      rest = rest.slice(text.length);
    } while (rest !== "");
  };
}

function beginningOf(text: string, limit: number): string {
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text;
  const room = new Uint8Array(limit);
  return text.slice(0, new TextEncoder().encodeInto(text, room).read);
}
