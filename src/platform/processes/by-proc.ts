/** Linux: reads /proc on demand. */
import { fs } from "../system.ts";
import { brandLine } from "./brand.ts";
import type { Look, Stat, Way } from "./process.ts";

/** Empty if there is none, or it cannot be read. */
function readText(path: string, encoding: "latin1" | "utf8" = "latin1"): string {
  try {
    return fs().readFileSync(path, encoding);
  } catch {
    return "";
  }
}

function statOf(pid: number): Stat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === "") return undefined;
  // The program's name is in brackets and may contain anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0]!, parent: Number(fields[1]), session: Number(fields[3]), start: fields[19]! };
}

function childrenOf(pid: number): number[] | undefined {
  const folder = `/proc/${pid}/task`;
  try {
    // Children belong to the thread that started them: in our own process it is the first, which also adopts.
    return (pid === process.pid ? [String(pid)] : fs().readdirSync(folder))
      .flatMap((thread) => fs().readFileSync(`${folder}/${thread}/children`, "latin1").split(" "))
      .filter((word) => word !== "")
      .map(Number);
  } catch {
    return pid === process.pid ? undefined : [];
  }
}

function variablesOf(pid: number) {
  // Each between two NUL bytes.
  const text = `\u0000${readText(`/proc/${pid}/environ`)}\u0000`;
  return {
    has: (name: string, value?: string) =>
      text.includes(value === undefined ? `\u0000${name}=` : `\u0000${name}=${value}\u0000`),
    all: () => text.split("\u0000"),
  };
}

function hasWords(pid: number, words: readonly string[]): boolean {
  const found = readText(`/proc/${pid}/cmdline`, "utf8").split("\u0000");
  return words.every((word, i) => found[i] === word);
}

/** A program that was replaced while it runs is still the same. */
function executableOf(pid: number): string {
  try {
    return fs()
      .readlinkSync(`/proc/${pid}/exe`)
      .replace(/ \(deleted\)$/, "");
  } catch {
    return "";
  }
}

function isBranded(pid: number, brand: number): boolean | undefined {
  const limits = readText(`/proc/${pid}/limits`);
  return limits === "" ? undefined : limits.includes(brandLine(brand));
}

const look: Look = {
  atOnce: false,
  pids: () =>
    fs()
      .readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number),
  stat: statOf,
  variables: variablesOf,
  children: childrenOf,
  hasWords,
  executable: executableOf,
  isBranded,
};

export const byProc: Way = {
  boot: () => readText("/proc/sys/kernel/random/boot_id").trim(),
  look: () => look,
  statOf,
  isSameStart: (one, other) => one === other,
};
