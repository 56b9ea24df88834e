/** What a runner hands on, in sizes and characters that a transcript and a message take. */
import { withoutTokens } from "../../contract/secret.ts";
import { endOf } from "./kept-end.ts";
import { finalLimit, type Runner, type Talk } from "./runner.ts";

/** Bytes of one entry of a transcript at most; longer texts are several entries. */
export const entryLimit = 64 * 1024;

/** A message holds neither U+0000 nor half a surrogate pair; programs print both. Nor is a token handed on. */
const sound = (text: string) => withoutTokens(text.toWellFormed().replaceAll("\u0000", "\ufffd"));

export function bounded(runner: Runner): Runner {
  return {
    resumes: runner.resumes,
    cancels: runner.cancels,
    launch: runner.launch,
    async follow(talk, job) {
      const outcome = await runner.follow({ ...talk, note: inEntries(talk.note) }, job);
      const final = endOf(sound(outcome.final), finalLimit);
      return outcome.error === undefined
        ? { ...outcome, final }
        : { ...outcome, final, error: sound(outcome.error) };
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
