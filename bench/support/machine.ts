/** The machine the figures are from, and how long its disk takes: the floor under every write. */
import { Database } from "bun:sqlite";
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { availableParallelism, cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { median, ms, percentile } from "./figures.ts";

/** Appending 4 KiB to a file and fdatasync: what a commit to a write-ahead log cannot go below. */
export function fsyncTimes(rounds = 300): number[] {
  using folder = temporaryFolder();
  const file = openSync(join(folder.path, "log"), "w");
  const page = new Uint8Array(4096).fill(1);
  const samples: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    samples.push(performance.now() - started);
  }
  closeSync(file);
  return samples;
}

const output = (...command: string[]) => Bun.spawnSync(command).stdout.toString().trim();

export function describeMachine(): [string, string][] {
  const [type, source] = output("df", "--output=fstype,source", tmpdir()).split("\n")[1]?.split(/ +/) ?? [];
  const sqlite = new Database(":memory:").query("select sqlite_version() as version").get();
  const fsync = fsyncTimes();
  return [
    ["Date", new Date().toISOString().slice(0, 16).replace("T", " ")],
    ["Processor", `${availableParallelism()} × ${cpus()[0]?.model ?? "unknown"}`],
    ["Memory", `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ["Kernel", `${process.platform} ${release()}`],
    ["File system", `${type ?? "unknown"} on ${source ?? "unknown"} (${tmpdir()})`],
    ["fdatasync after 4 KiB", `p50 ${ms(median(fsync))}, p99 ${ms(percentile(fsync, 0.99))}`],
    ["Bun", `${Bun.version}, SQLite ${(sqlite as { version: string }).version}`],
    ["Node", output("node", "--version")],
    ["sqlite3 shell", output("sqlite3", "--version").split(" ")[0] || "none"],
  ];
}
