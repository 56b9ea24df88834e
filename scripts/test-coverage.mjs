/** Which lines of src the tests have run, from the report that `bun test --coverage` writes. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

/** Below this share of its lines a file is named. */
const least = 0.5;

/**
 * Only what runs in the tests' own processes is counted: the built program, which surface, orch and fault tests start, is not.
 * @param {string} report the text of an lcov.info
 */
export function coverageIn(report) {
  const files = new Map();
  for (const record of report.split("end_of_record")) {
    const [, path] = /^SF:(src\/.*\.ts)$/m.exec(record) ?? [];
    if (!path) continue;
    const counted = (name) => Number(new RegExp(`^${name}:(\\d+)$`, "m").exec(record)?.[1] ?? 0);
    files.set(path, { lines: counted("LF"), hit: counted("LH") });
  }
  return files;
}

/** For the end of `npm test`; undefined where nothing was measured. */
export function coverageSummary(folder) {
  const report = join(folder, "lcov.info");
  if (!existsSync(report)) return undefined;
  const files = coverageIn(readFileSync(report, "utf8"));
  const sources = readdirSync(join(root, "src"), { recursive: true })
    .map((path) => join("src", path))
    .filter((path) => path.endsWith(".ts"));
  const sum = (key) => [...files.values()].reduce((all, file) => all + file[key], 0);
  const low = [...files].filter(([, { lines, hit }]) => hit < least * lines);
  const named = low.map(([path, { lines, hit }]) => `${path} ${Math.round((100 * hit) / lines)} %`).sort();
  const unloaded = sources.filter((path) => !files.has(path)).sort();
  const list = (paths) => (paths.length ? `\n  ${paths.join("\n  ")}` : " none");
  return [
    `coverage: ${((100 * sum("hit")) / sum("lines")).toFixed(1)} % of the lines of ${files.size} files, in the tests' own processes`,
    `files with less than ${100 * least} % of their lines run there:${list(named)}`,
    `files that are not loaded there; the built program may run them:${list(unloaded)}`,
  ].join("\n");
}
