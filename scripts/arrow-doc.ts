/** The arrow in ARCHITECTURE.md: a line per room, with what it may import. */
import { arrow } from "./arrow.ts";
import { withMadeSection } from "./made-section.ts";

const lineWidth = 140;
const short = (name: string) => name.replace(/^src\//, "");

function diagram(): string {
  const rooms = Object.keys(arrow).map(short);
  const column = Math.max(...rooms.map((room) => room.length));
  return Object.entries(arrow)
    .flatMap(([room, allowed]) => {
      const lines = [`${short(room).padEnd(column)} →`];
      const names = allowed.length ? allowed.map(short) : ["nobody"];
      for (const [i, name] of names.entries()) {
        const word = i < names.length - 1 ? ` ${name},` : ` ${name}`;
        if (lines.at(-1)!.length + word.length > lineWidth) lines.push(" ".repeat(column + 2));
        lines[lines.length - 1] += word;
      }
      return lines;
    })
    .join("\n");
}

export const arrowDoc = () =>
  withMadeSection("ARCHITECTURE.md", "scripts/arrow.ts", `\`\`\`\n${diagram()}\n\`\`\``);
