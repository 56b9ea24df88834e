/** [U8] Searching: first the words are brought up to date, for as long as a person does not mind; then they are looked at. */
import { find } from "./bus/procedures/search.ts";
import { nextWords, wordsBehind } from "./bus/search.ts";
import type { OutputOf, ParsedOf } from "./contract/operations/index.ts";
import type { Engine } from "./engines/engine.ts";

const patienceMs = 500;

export async function search(
  engine: Engine,
  input: ParsedOf<"search.find">,
): Promise<OutputOf<"search.find">> {
  // Where nothing can be written, or not now, the answer says what it has not seen.
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((done) => {
    timer = setTimeout(done, patienceMs);
  });
  await Promise.race([catchUp(engine, patienceMs).catch(() => {}), enough]);
  clearTimeout(timer);
  const { hits, behind } = await engine.read((tx) => find(tx, input));
  return { hits, complete: behind === 0, behind };
}

/** In small steps, so that others get their turn; false if there was not time for all. */
export async function catchUp(engine: Engine, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  let left = await engine.read(wordsBehind);
  while (left > 0 && performance.now() < deadline) {
    const before = left;
    left = await engine.write(nextWords, { repeatable: true });
    if (left >= before) break; // somebody has yet to commit what comes next
    await new Promise((done) => setTimeout(done));
  }
  return left === 0;
}
