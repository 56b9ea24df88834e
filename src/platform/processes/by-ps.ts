/** All other systems: `ps` and `getsid`. One `ps` reads all processes. */
import { isAlive } from "../alive.ts";
import { openLibrary } from "../c-library.ts";
import { sleepSync, spawnSync } from "../runtime.ts";
import { fs } from "../system.ts";
import type { Look, Stat, Way } from "./process.ts";
import { beginsWith, bootIn, fields, hasVariable, type Line, parseLines, variablesIn } from "./ps-lines.ts";

/** By its path: the first `ps` on a PATH may be another program. */
const places = ["/bin", "/usr/bin", "/sbin", "/usr/sbin"];
const programs = new Map<string, string>();

function placeOf(name: string): string {
  let place = programs.get(name);
  if (place === undefined) {
    place = places.map((folder) => `${folder}/${name}`).find((path) => fs().existsSync(path)) ?? name;
    programs.set(name, place);
  }
  return place;
}

/** Dates in English and in UTC, and text unchanged. */
const environment = {
  TZ: "UTC0",
  LC_TIME: "C",
  LC_CTYPE: process.platform === "darwin" ? "UTF-8" : "C.UTF-8",
};

function output(name: string, args: readonly string[]): { text: string; pid: number } {
  try {
    return spawnSync([placeOf(name), ...args], environment);
  } catch {
    return { text: "", pid: 0 };
  }
}

/** With the environment after the command, and never truncated. */
const allWithEnvironment = {
  linux: ["axeww"],
  darwin: ["-axwwE"],
}[process.platform as string] ?? ["-axwwe"];

const sessions = openLibrary({ getsid: { args: ["int"], returns: "int" } });

/** `getsid` works for any process; one that has exited has no session. */
const sessionOf = ({ pid, group }: Line) => (sessions ? Math.max(0, sessions.getsid(pid)) : group);

const asStat = (line: Line): Stat => ({
  state: line.state,
  parent: line.parent,
  session: sessionOf(line),
  start: line.start,
});

/** Where the machine has no room for a `ps`, whoever is there is not taken for dead. */
function statOf(pid: number): Stat | undefined {
  if (!isAlive(pid)) return undefined;
  const [line] = parseLines(output("ps", ["-ww", "-o", fields, "-p", String(pid)]).text);
  if (line) return asStat(line);
  return isAlive(pid) ? { state: "?", parent: 0, session: 0, start: "" } : undefined;
}

const paths =
  process.platform === "darwin"
    ? openLibrary({ proc_pidpath: { args: ["int", "ptr", "u32"], returns: "int" } })
    : null;

function executableOf(pid: number): string {
  if (paths) {
    const path = new Uint8Array(4096);
    const length = paths.proc_pidpath(pid, path, path.length);
    return length > 0 ? new TextDecoder().decode(path.subarray(0, length)) : "";
  }
  // Only Linux's `ps` knows. Elsewhere nobody is known by what it executes.
  if (process.platform !== "linux") return "";
  return output("ps", ["-ww", "-o", "exe=", "-p", String(pid)]).text.trim();
}

/** All of them; where the machine has no room for a `ps` it is tried again. */
function list(): Map<number, Line> {
  for (let tries = 1; ; tries++) {
    const { text, pid: own } = output("ps", [...allWithEnvironment, "-o", fields]);
    const lines = new Map(parseLines(text).map((line) => [line.pid, line]));
    lines.delete(own);
    if (lines.size || tries === triesToList) return lines;
    sleepSync(tries * pauseMs);
  }
}

const triesToList = 5;
const pauseMs = 20;

function look(): Look {
  const lines = list();
  const nothing: Line = { pid: 0, parent: 0, group: 0, state: "X", start: "", text: "" };
  const of = (pid: number) => lines.get(pid) ?? nothing;
  return {
    atOnce: true,
    pids: () => [...lines.keys()],
    stat: (pid) => {
      const line = lines.get(pid);
      return line && asStat(line);
    },
    variables: (pid) => ({
      has: (name, value) => hasVariable(of(pid), name, value),
      all: () => variablesIn(of(pid)),
    }),
    // What has lost its parent is nobody's child: parentage alone would miss it.
    children: () => undefined,
    hasWords: (pid, words) => beginsWith(of(pid), words),
    executable: executableOf,
    isBranded: () => false,
  };
}

const bootNames: Record<string, readonly string[]> = {
  darwin: ["kern.bootsessionuuid", "kern.boottime"],
  linux: ["kernel.random.boot_id"],
};

/** `ps` may reckon it back from the clock, by the second: two answers differ by one where that is set a little. */
const startSlackSeconds = 2;

export const byPs: Way = {
  boot: () => bootIn(output("sysctl", ["-n", ...(bootNames[process.platform] ?? ["kern.boottime"])]).text),
  look,
  statOf,
  isSameStart: (one, other) =>
    one === "" || other === "" || Math.abs(Number(one) - Number(other)) <= startSlackSeconds,
};
