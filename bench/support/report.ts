/**
 * bench/RESULTS.md, which is also where the last figures are read from: a run of one benchmark leaves the sections of all
 * others as they are, on whichever machine they were made.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bars, drawn } from "./plot.ts";
import type { Section, Table } from "./section.ts";

const folder = join(import.meta.dir, "..");
const file = join(folder, "RESULTS.md");
const plotFile = "RESULTS.svg";

export interface Stored {
  section: Section;
  machine: [string, string][];
  /** How busy the machine was with other things just before, 0 to 1. */
  busyBefore: number;
  seconds: number;
}

type AimRow = [title: string, aim: string, found: string, met: string];

/** What the file says now. */
interface Before {
  machine: string;
  aims: AimRow[];
  /** By title, with the heading. */
  sections: Map<string, string>;
}

function readBefore(): Before {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const parts = text.split(/^(?=## )/m).slice(1);
  const sections = new Map(parts.map((part) => [part.slice(3, part.indexOf("\n")), part.trim()]));
  const [, aimed = ""] = /\n(\|[\s\S]*?)\n\n/.exec(`${sections.get("Aims") ?? ""}\n\n`) ?? [];
  const rows = aimed.split("\n");
  const aims = rows.slice(2).map((line) => line.slice(2, -2).split(" | ") as AimRow);
  const machine = /^\| The machine[\s\S]*?\n(?=\n)/m.exec(text)?.[0].trim() ?? "";
  sections.delete("Aims");
  return { machine, aims, sections };
}

/** What was found the last time, by the aim's own words. */
export function lastFigures(): Map<string, string> {
  return new Map(readBefore().aims.map(([title, aim, found]) => [`${title}: ${aim}`, found]));
}

export function writeReport(made: readonly Stored[]): string {
  const before = readBefore();
  const fresh = new Map(made.map((stored) => [stored.section.title, stored]));
  const titles = [...new Set([...before.sections.keys(), ...fresh.keys()])];
  const aims = titles.flatMap((title): AimRow[] => {
    const stored = fresh.get(title);
    if (!stored) return before.aims.filter(([of]) => of === title);
    return stored.section.aims.map(({ aim, found, met }) => [title, aim, found, met ? "yes" : "**no**"]);
  });
  const machine = made.length
    ? table({ head: ["The machine", ""], rows: made.at(-1)!.machine })
    : before.machine;
  const sections = titles.flatMap((title) => {
    const stored = fresh.get(title);
    return stored ? render(stored).join("\n\n") : (before.sections.get(title) ?? []);
  });
  writeFileSync(join(folder, plotFile), drawn(felt(aims)));
  const text = [
    "# What is measured",
    'Written by `npm run bench`; read every figure as a ratio to the one it stands beside, from the same run ("×").',
    "## Aims",
    table({ head: ["", "Aim", "Found", "Met"], rows: aims }),
    `![Command time, taking work, and sends over HTTP, as ratios](${plotFile})`,
    machine,
    ...sections,
  ].join("\n\n");
  writeFileSync(file, `${text}\n`);
  return file;
}

/** The three that users feel, from the table of aims: so they are there whichever benchmarks were run. */
function felt(aims: readonly AimRow[]): Bars[] {
  const bars = (heading: string, which: (row: AimRow) => boolean): Bars => ({
    heading,
    bars: aims.filter(which).flatMap(([, aim, found, met]) =>
      found.split(", ").map((figure, i, all) => ({
        name: all.length > 1 ? `${aim} (${i + 1} of ${all.length})` : aim,
        value: Number.parseFloat(figure),
        met: met === "yes",
      })),
    ),
  });
  return [
    bars("A command, to an empty program", ([title]) => title === "A command"),
    bars(
      "Claim and done, to other libraries",
      ([title, aim]) => title === "The engines" && aim.includes("claim"),
    ),
    bars("Sends over HTTP, to echo and Redis", ([title]) => title === "Sends over HTTP"),
  ];
}

function render({ section, machine, busyBefore, seconds }: Stored): string[] {
  const taken = `*${machine[0]![1]} UTC, ${Math.round(seconds)} s; other things kept the machine ${Math.round(busyBefore * 100)} % busy just before.*`;
  const notes = (section.notes ?? []).map((note) => `- ${note}`).join("\n");
  return [
    `## ${section.title}`,
    section.about,
    ...section.tables.map(table),
    ...(notes ? [notes] : []),
    taken,
  ];
}

function table({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const figures = (column: number) => rows.every((row) => /^[\d–]/.test(row[column] ?? ""));
  return [line(head), line(head.map((_, i) => (i && figures(i) ? "--:" : "---"))), ...rows.map(line)].join(
    "\n",
  );
}
