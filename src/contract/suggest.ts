/** The names closest to a mistyped one, best first: at most a third of its letters may differ, of one or two none. */
export function closest(wanted: string, known: Iterable<string>, most = 3): string[] {
  const limit = Math.floor(wanted.length / 3);
  const scored: [number, string][] = [];
  for (const name of known) {
    if (name === wanted) continue;
    const begins = wanted.length > 1 && name.startsWith(wanted);
    const distance = begins ? 0 : editDistance(wanted.toLowerCase(), name.toLowerCase(), limit);
    if (distance <= limit) scored.push([distance, name]);
  }
  scored.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
  return scored.slice(0, most).map(([, name]) => name);
}

/** [C12.3] The same for commands: a subcommand that was typed without its group (`snooze`) is `entries snooze`. */
export function closestCommand(wanted: string, known: Iterable<string>, most = 3): string[] {
  const names = [...known];
  const inGroups = names.filter((name) => name.split(" ").slice(1).join(" ") === wanted);
  return inGroups.length ? inGroups.slice(0, most) : closest(wanted, names, most);
}

/** The same for names of fields and flags: those that contain what was typed as whole words (`to` in `assigned-to`) come before similar ones. */
export function closestField(wanted: string, known: Iterable<string>, most = 3): string[] {
  const names = [...known];
  const typed = `-${wordsOf(wanted)}-`;
  const containing = names.filter((name) => `-${wordsOf(name)}-`.includes(typed)).sort();
  return containing.length ? containing.slice(0, most) : closest(wanted, names, most);
}

/** `--assigned-to`, `assigned_to` and `assignedTo` are `assigned-to`. */
export const wordsOf = (name: string) =>
  name
    .replace(/^-+/, "")
    .replace(/(?<=[a-z])(?=[A-Z])|_/g, "-")
    .toLowerCase();

export function didYouMean(wanted: string, known: Iterable<string>): string {
  return meant(closest(wanted, known));
}

export function meant(names: Iterable<string>): string {
  const different = [...new Set(names)];
  return different.length ? `did you mean ${different.map((name) => `"${name}"`).join(" or ")}?` : "";
}

/** Optimal string alignment distance (a swap of neighbours counts one); anything past the limit is limit + 1. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, before[j - 2]! + 1);
      current.push(best);
    }
    // Neither this line nor the next begins within the limit: nothing after them can end there.
    if (Math.min(...current) > limit && Math.min(...previous) > limit) return limit + 1;
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}
