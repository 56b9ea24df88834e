/** [I5] What `ps` and `sysctl` print, on a Mac and on Linux: lines as those systems write them, in test/corpora. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { libraryNames } from "../../src/platform/c-library.ts";
import { kilobytesIn } from "../../src/platform/memory.ts";
import { byPs } from "../../src/platform/processes/by-ps.ts";
import { isOfThisBoot } from "../../src/platform/processes/processes.ts";
import {
  beginsWith,
  bootIn,
  hasVariable,
  type Line,
  parseLine,
  parseLines,
  variablesIn,
} from "../../src/platform/processes/ps-lines.ts";

const recorded = async (name: string) => Bun.file(join(import.meta.dir, `../corpora/${name}.txt`)).text();
const byPid = (lines: readonly Line[]) => new Map(lines.map((line) => [line.pid, line]));

describe("macOS", async () => {
  const text = await recorded("ps-macos");
  const lines = byPid(parseLines(text));
  const at = (pid: number) => lines.get(pid)!;
  const mark = "6f1f0a0e-53c8-4c53-8f35-6c3c6a1d2b11";
  const bus = "/Users/jürgen/My Project/.agents/coord.db";

  test("[I5.1] every line is read, whatever its command holds", () => {
    expect(lines.size).toBe(text.trim().split("\n").length);
    expect(at(4450)).toEqual({
      pid: 4450,
      parent: 900,
      group: 4450,
      state: "T",
      start: String(Date.UTC(2026, 10, 4, 23, 59, 59) / 1000),
      text: "vim notes.txt",
    });
    expect(at(99998)).toMatchObject({ parent: 900, group: 99998, state: "R" });
  });

  test("[I5.1] a zombie is one, with either name that it is given, and one that only exits is not", () => {
    expect([4440, 4441, 4442].map((pid) => at(pid).state)).toEqual(["Z", "Z", "?"]);
  });

  test("[I5.3] a mark is found among variables whose values hold blanks, and only as a whole", () => {
    const bearing = [...lines.values()].filter((line) => hasVariable(line, "INBOX_KEEPER", mark));
    expect(bearing.map(({ pid }) => pid)).toEqual([4415, 4433]);
    expect(hasVariable(at(4415), "INBOX_KEEPER", mark.slice(0, -1))).toBe(false);
    expect(hasVariable(at(4415), "KEEPER", mark)).toBe(false);
    expect(variablesIn(at(4415))).toContain("NODE_OPTIONS=--max-old-space-size=4096 --no-warnings");
    expect(variablesIn(at(900))).toEqual([]);
  });

  test("[I5.1] a command is known by its words, in a folder with blanks too", () => {
    expect(beginsWith(at(4410), ["orch", "supervise", "--db", bus])).toBe(true);
    expect(beginsWith(at(4412), ["orch", "keep", "--db", bus])).toBe(true);
    expect(beginsWith(at(4412), ["orch", "keep", "--db", bus.slice(0, -1)])).toBe(false);
    expect(beginsWith(at(4412), ["orch", "supervise"])).toBe(false);
  });
});

test("[I5.1] lines of Linux are read the same", async () => {
  const lines = byPid(parseLines(await recorded("ps-linux")));
  expect(lines.size).toBe(5);
  expect(lines.get(2300)).toMatchObject({ parent: 2291, group: 2300, state: "Z", text: "[sh] <defunct>" });
  expect(lines.get(2291)!.start).toBe(String(Date.UTC(2026, 10, 15, 19, 12, 0) / 1000));
});

test("[I5.1] a line of another kind, in another language or cut short is not taken for a process", () => {
  for (const line of [
    "",
    "  PID  PPID",
    "ps: unknown option",
    "    1     0     1 Ss   Do 12 Nov 08:14:03 2026     /sbin/launchd",
    "    1     0     1 Ss   Thu Nov 12 08:14",
  ])
    expect(parseLine(line)).toBeUndefined();
  // It has no words at all.
  expect(parseLine("   77     1    77 S    Thu Nov 12 08:14:03 2026")).toMatchObject({ pid: 77, text: "" });
});

test("[I5.2] a boot is identified by its id, and without one by its time", () => {
  const time = "{ sec = 1794471243, usec = 117219 } Thu Nov 12 08:14:03 2026\n";
  const id = "8D1F0C8B-2E65-4F6B-9C56-0A6B6F3E7A10";
  expect(bootIn(`${id}\n${time}`)).toBe(id);
  expect(bootIn(time)).toBe("1794471243");
  expect(bootIn("1794471243\n")).toBe("1794471243"); // OpenBSD
  expect(bootIn("sysctl: unknown oid")).toBe("");
});

test("[I6.3] the free memory of a Mac is a share of its total", () => {
  expect(kilobytesIn("64\n17179869184\n")).toBe(16 * 1024 * 1024 * 0.64);
  expect(kilobytesIn("")).toBeUndefined();
  expect(kilobytesIn("17179869184\n")).toBeUndefined();
});

test("[I6.2] the C library has the name that its system gives it", () => {
  expect(libraryNames("linux", "x64")).toEqual(["libc.so.6", "libc.musl-x86_64.so.1"]);
  expect(libraryNames("linux", "arm64")).toEqual(["libc.so.6", "libc.musl-aarch64.so.1"]);
  expect(libraryNames("darwin", "arm64")).toEqual(["libSystem.B.dylib"]);
});

test("[I5.2] a process whose start or boot is unknown does not count as dead", () => {
  expect(byPs.isSameStart("1794471243", "")).toBe(true);
  expect(byPs.isSameStart("", "1794471243")).toBe(true);
  expect(byPs.isSameStart("1794471243", "1794471244")).toBe(true);
  expect(byPs.isSameStart("1794471243", "1794471253")).toBe(false);
  expect(isOfThisBoot("12:1794471243:unknown")).toBe(true);
  expect(isOfThisBoot("12:1794471243:8D1F0C8B-2E65-4F6B-9C56-0A6B6F3E7A10")).toBe(false);
});

test("[I5.2] `ps` finds this process by its number, finds none for an unused number, and all agree on the start", () => {
  const found = byPs.statOf(process.pid)!;
  expect(found).toMatchObject({ parent: process.ppid });
  const listed = byPs.look().stat(process.pid)!;
  expect([listed.parent, listed.session]).toEqual([found.parent, found.session]);
  expect(byPs.isSameStart(listed.start, found.start)).toBe(true);
  expect(byPs.statOf(2 ** 22 + 1)).toBeUndefined();
});

test("[I5.2] the start that `ps` tells is the moment when a process was started", async () => {
  const before = Date.now() / 1000;
  const child = Bun.spawn(["sleep", "60"]);
  const after = Date.now() / 1000;
  try {
    const { start } = byPs.statOf(child.pid)!;
    const nearest = Math.min(Math.max(Number(start), before), after);
    expect(byPs.isSameStart(start, String(nearest))).toBe(true);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
});
