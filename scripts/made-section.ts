/** A document in which one part is made, between two marks, and the rest is written by hand. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const end = "<!-- End of what is made. -->";

export function withMadeSection(document: string, source: string, section: string): string {
  const begin = `<!-- Made by \`npm run docs\` from ${source}; do not edit. -->`;
  const text = readFileSync(join(import.meta.dir, "..", document), "utf8");
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${document} has lost its two marks`);
  return `${before}${begin}\n\n${section}\n\n${end}${after}`;
}
