/** What the campaigns have measured (docs/proof), as the tables of docs/guarantees.md. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { faultsIn, type Report, wokenWithin } from "../test/prove/attack/report.ts";
import { withMadeSection } from "./made-section.ts";

const read = <T>(name: string): T | undefined => {
  const file = join(import.meta.dir, "../docs/proof", `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
};
const table = (head: string[], rows: (string | number)[][]) =>
  [head, head.map((_, index) => (index ? "--:" : "---")), ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
const thousands = (number: number) => number.toLocaleString("en-US");
const notYet = "Not measured yet: `npm run prove -- report` does.";

function attack(): string {
  const report = read<Report>("attack");
  if (!report) return notYet;
  const engines = Object.entries(report.engines);
  const totals = table(
    ["engine", "rounds", "calls", "outcome unknown", "faults", "violations", "wake-up, half / 99 %", "seeds"],
    engines.map(([name, counts]) => [
      name,
      thousands(counts.rounds),
      thousands(counts.calls),
      thousands(counts.unknown),
      thousands(faultsIn(counts)),
      counts.violations,
      `${wokenWithin(counts, 0.5)} / ${wokenWithin(counts, 0.99)} ms`,
      counts.seeds.join("–"),
    ]),
  );
  const nemeses = [...new Set(engines.flatMap(([, counts]) => Object.keys(counts.faults)))].sort();
  const struck = table(
    ["nemesis", ...engines.map(([name]) => name), "longest recovery"],
    nemeses.map((nemesis) => {
      const found = engines.map(([, counts]) => counts.faults[nemesis]);
      const longest = Math.max(...found.map((one) => one?.recoveryMs ?? 0));
      return [
        nemesis,
        ...found.map((one) => (one ? thousands(one.count) : "–")),
        `${(longest / 1000).toFixed(1)} s`,
      ];
    }),
  );
  const when = `${report.made}, ${report.minutes} minutes on ${report.machine}.`;
  const recovery =
    "Recovery is the time from the end of a fault to the answer of the first call that began after it. The agents keep\nboth cores fully busy: on a machine with time to spare wake-ups and recoveries are much faster.";
  return `${when}\n${recovery}\n\n${totals}\n\n${struck}`;
}

interface Caught {
  name: string;
  title: string;
  engine: string;
  campaign: string;
  as?: string;
  seconds?: number;
}

function planted(): string {
  const caught = read<Caught[]>("planted");
  if (!caught) return notYet;
  return table(
    ["planted bug", "what is wrong", "engine", "caught as", "after"],
    caught.map(({ name, title, engine, as = "not caught", seconds }) => [
      name,
      title,
      engine,
      as,
      seconds === undefined ? "–" : `${seconds} s`,
    ]),
  );
}

function power(): string {
  const sum = read<{ failures: number; acknowledged: number; seeds: number[] }>("power");
  if (!sum) return notYet;
  return [
    `The power failed ${thousands(sum.failures)} times in the recorded writes of ${thousands(sum.acknowledged)} acknowledged`,
    `messages (seeds ${sum.seeds.join("–")}). Each result opened, was whole and had every write that was acknowledged by`,
    "then.",
  ].join("\n");
}

interface Soaked {
  engine: string;
  surfaces: string[];
  minutes: number;
  calls: number;
  kept: number;
  samples: Record<"memoryMb" | "descriptors" | "databaseMb" | "logMb", number>[];
}

const bars = "▁▂▃▄▅▆▇█";

/** From 0 to the greatest value. */
function plot(values: readonly number[]): string {
  const most = Math.max(...values, 1);
  return values.map((value) => bars[Math.round((value / most) * (bars.length - 1))]).join("");
}

function soak(): string {
  const found = read<Soaked>("soak");
  if (!found) return notYet;
  const row = (what: keyof Soaked["samples"][number], name: string) => {
    const values = found.samples.map((sample) => sample[what]);
    return [name, `\`${plot(values)}\``, values[0] ?? 0, Math.max(...values), values.at(-1) ?? 0];
  };
  const keys = found.surfaces.includes("sdk-hub")
    ? " The keys that our own client makes are kept for an hour, so the database grows until then."
    : "";
  const head = `${found.minutes} minutes on ${found.engine} over ${[...new Set(found.surfaces)].join(" and ")}, ${thousands(found.calls)} calls, ${thousands(found.kept)} of each kind kept; two hubs together.${keys}`;
  return `${head}\n\n${table(
    ["", "from the start to the end", "first", "most", "last"],
    [
      row("memoryMb", "memory, MB"),
      row("descriptors", "descriptors"),
      row("databaseMb", "database, MB"),
      row("logMb", "its log, MB"),
    ],
  )}`;
}

const section = () =>
  [
    `### Attacked\n\n${attack()}`,
    `### Planted bugs\n\n${planted()}`,
    `### Power loss on SQLite\n\n${power()}`,
    `### Soak\n\n${soak()}`,
  ].join("\n\n");

export const guaranteesDoc = () => withMadeSection("docs/guarantees.md", "docs/proof", section());
