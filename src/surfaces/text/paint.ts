/** Colour, on a terminal that supports it. Written by hand: importing picocolors cost 8 ms, twice the runtime's own start. */
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

/** With colour, or without. */
export function paintOf(coloured: boolean): Paint {
  const entries = Object.entries(codes).map(([name, code]) => [
    name,
    coloured ? (text: string) => `\u001b[${code}m${text}\u001b[0m` : none,
  ]);
  return Object.fromEntries(entries) as Paint;
}
