/** bench/RESULTS.md, from the sections of the last run of each benchmark in bench/.cache/. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Section, Table } from "./section.ts";

const folder = join(import.meta.dir, "..");
const cache = join(folder, ".cache");

export interface Stored {
  section: Section;
  machine: [string, string][];
  /** How busy the machine was with other things just before, 0 to 1. */
  busyBefore: number;
  seconds: number;
}

export function store(name: string, stored: Stored): void {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, `${name}.json`), JSON.stringify(stored, null, 2));
}

function load(name: string): Stored | undefined {
  const file = join(cache, `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

export function writeReport(names: readonly string[]): string {
  const found = names.flatMap((name) => load(name) ?? []);
  const machine = found.map((stored) => stored.machine).sort(byDate)[0] ?? [];
  const text = [
    "# What is measured",
    'Written by `npm run bench`; read every figure as a ratio to the one it stands beside, from the same run ("×").',
    table({ head: ["The machine", ""], rows: machine }),
    "## Aims",
    table({
      head: ["", "Aim", "Found", "Met"],
      rows: found.flatMap(({ section }) =>
        section.aims.map(({ aim, found, met }) => [section.title, aim, found, met ? "yes" : "**no**"]),
      ),
    }),
    ...found.flatMap(render),
  ].join("\n\n");
  const file = join(folder, "RESULTS.md");
  writeFileSync(file, `${text}\n`);
  return file;
}

/** Newest first: the date is the first row of a machine. */
const byDate = (a: Stored["machine"], b: Stored["machine"]) => (a[0]![1] < b[0]![1] ? 1 : -1);

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
