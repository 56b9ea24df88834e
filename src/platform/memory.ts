/** How much memory is left. */
import { isPortable } from "./portable.ts";
import { spawnSync } from "./runtime.ts";
import { fs } from "./system.ts";

/** In kilobytes; infinite if it is not known. */
export function memoryLeft(): number {
  const known = isPortable() ? freeOnMac() : availableOnLinux();
  return known ?? Number.POSITIVE_INFINITY;
}

function availableOnLinux(): number | undefined {
  try {
    const [, kilobytes] = /^MemAvailable: +(\d+)/m.exec(fs().readFileSync("/proc/meminfo", "latin1")) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes);
  } catch {
    return undefined;
  }
}

const askAgainMs = 2000;
let asked: { at: number; kilobytes: number | undefined } | undefined;

/** From the percentage that macOS reports as free; asking starts a process, so the value is cached. */
function freeOnMac(): number | undefined {
  if (process.platform !== "darwin") return undefined;
  const now = performance.now();
  if (!asked || now - asked.at > askAgainMs) {
    const { text } = spawnSync(["/usr/sbin/sysctl", "-n", "kern.memorystatus_level", "hw.memsize"], {});
    asked = { at: now, kilobytes: kilobytesIn(text) };
  }
  return asked.kilobytes;
}

/** The two lines: percent that are free, and bytes in all. */
export function kilobytesIn(text: string): number | undefined {
  const [, percent, bytes] = /^(\d+)\s+(\d+)\s*$/.exec(text) ?? [];
  return percent === undefined ? undefined : (Number(bytes) / 1024) * (Number(percent) / 100);
}
