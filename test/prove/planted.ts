/**
 * The campaign `planted`: shows that the checker can fail. Each patch in test/prove/planted breaks one promise; it is applied
 * to a copy of the sources, which is built and attacked until the checker finds it, or a minute is over.
 * `npm run prove -- planted [NAME …] [--report FILE]`. Ends with 1 if one was not caught.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { postgresPrograms } from "../support/servers.ts";

const patience = 60;

export interface Planted {
  name: string;
  /** What it breaks, in a sentence. */
  title: string;
  engine: string;
  nemeses: string;
  /** Where it shows; all others would only take time from these. */
  surfaces: string;
  /** The kinds of violation that show it. */
  kinds: string[];
  /** Other campaigns than the attack. */
  campaign: string;
}

export interface Caught extends Planted {
  seconds?: number;
  as?: string;
}

const folder = join(import.meta.dir, "planted");

function plantedIn(file: string): Planted {
  const text = readFileSync(join(folder, file), "utf8");
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1] ?? "";
  return {
    name: basename(file, ".patch"),
    title: text.split("\n")[0]!,
    engine: field("engine"),
    nemeses: field("nemeses"),
    surfaces: field("surfaces"),
    kinds: field("caught as").split(", "),
    campaign: field("campaign") || "attack",
  };
}

/** The sources with the patch applied, and the program built from them. */
function copyWith(patch: string, to: string): void {
  const made = ["node_modules", "dist", ".git"];
  for (const part of readdirSync(root).filter((name) => !made.includes(name)))
    cpSync(join(root, part), join(to, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(to, "node_modules"));
  mkdirSync(join(to, "dist"));
  cpSync(join(root, "dist/page.pack"), join(to, "dist/page.pack"));
  const run = (...command: string[]) => {
    const done = Bun.spawnSync(command, { cwd: to, stdout: "pipe", stderr: "pipe" });
    if (done.exitCode !== 0) throw new Error(`${command.join(" ")}: ${done.stderr}${done.stdout}`);
  };
  run("git", "apply", patch);
  run("node", "scripts/build.mjs", "--program");
}

async function attack({
  name,
  engine,
  nemeses,
  surfaces,
  kinds,
  campaign,
}: Planted): Promise<Partial<Caught>> {
  using copy = temporaryFolder();
  copyWith(join(folder, `${name}.patch`), copy.path);
  const program = join(copy.path, `test/prove/${campaign}.ts`);
  const how = ["--engine", engine, `--nemeses=${nemeses}`, "--surfaces", surfaces, "--seconds", "10"];
  const options = campaign === "attack" ? how : [];
  const started = performance.now();
  const child = Bun.spawn([process.execPath, "--config=bunfig.toml", "--no-env-file", program, ...options], {
    cwd: copy.path,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const seconds = Math.round((performance.now() - started) / 1000);
  const found = kinds.find((kind) => output.includes(`× ${kind}\n`));
  if (found === undefined) console.log(`${output.slice(-3000)}${complaints.slice(-1000)}`);
  return found === undefined ? {} : { seconds, as: found };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: "string" } },
});
const all = readdirSync(folder)
  .filter((file) => file.endsWith(".patch"))
  .map(plantedIn)
  .filter(({ name }) => !positionals.length || positionals.includes(name));
const caught: Caught[] = [];
for (const planted of all) {
  if (planted.engine !== "sqlite" && !postgresPrograms()) {
    console.log(`${planted.name}: skipped, Postgres is not installed`);
    continue;
  }
  const found = { ...planted, ...(await attack(planted)) };
  caught.push(found);
  console.log(
    `${found.name}: ${found.seconds === undefined ? "NOT CAUGHT" : `${found.as}, ${found.seconds} s`}`,
  );
}
if (values.report) writeFileSync(values.report, `${JSON.stringify(caught, null, 2)}\n`);
const missed = caught.filter(({ seconds }) => seconds === undefined || seconds > patience);
console.log(`planted: ${caught.length - missed.length} of ${caught.length} caught within ${patience} s`);
process.exit(missed.length ? 1 : 0);
