/** Times, for people: in words, or by the clock. */
const units: [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
];

export function span(ms: number): string {
  for (const [size, name] of units) if (ms >= size) return `${Math.floor(ms / size)}${name}`;
  return "0s";
}

/** Times in the future are rounded up: a lease of 15 minutes ends in 15, not in 14. */
export function relative(iso: string, now = Date.now()): string {
  const ms = now - Date.parse(iso);
  return ms >= 0 ? `${span(ms)} ago` : `in ${span(-ms + 999)}`;
}

/** [C2.7] A time of the clock says that it is in UTC. */
export const clockTime = (iso: string): string => iso.replace("T", " ").replace(/(\.\d+)?Z$/, "Z");
