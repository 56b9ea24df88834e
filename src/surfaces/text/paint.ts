/** Colour, on a terminal that wants it. By hand: importing picocolors cost 8 ms, twice the runtime's own start. */
const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, magenta: 35, cyan: 36 } as const;

export type Paint = Record<keyof typeof codes, (text: string) => string>;

const none = (text: string) => text;
export const plainPaint: Paint = {
  bold: none,
  dim: none,
  red: none,
  green: none,
  yellow: none,
  magenta: none,
  cyan: none,
};

export function paintFor(descriptor: 1 | 2): Paint {
  const { isatty } = require("node:tty") as typeof import("node:tty");
  const wanted = isatty(descriptor) && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  const entries = Object.entries(codes).map(([name, code]) => [
    name,
    wanted ? (text: string) => `\u001b[${code}m${text}\u001b[0m` : (text: string) => text,
  ]);
  return Object.fromEntries(entries) as Paint;
}
