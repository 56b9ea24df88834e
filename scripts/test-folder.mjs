/**
 * Where tests keep their files: in memory where the system has a file system there with room, since thousands of small databases
 * that are synced to a disk are most of what a slow disk makes one wait for. What a power failure leaves does not depend on it:
 * the tests of that record what is written and replay it.
 */
import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const memory = "/dev/shm";
const begin = "restante-tests-";
/** Far more than was seen in use during a run (some hundred MB). */
const neededBytes = 4 * 2 ** 30;

/** The environment that puts them there, and how to remove them; neither where TMPDIR names another place, or there is no room. */
export function testFolder() {
  if (process.env.TMPDIR !== undefined || !roomInMemory()) return { env: {}, remove: () => {} };
  removeThoseOfKilledRuns();
  const path = join(memory, `${begin}${process.pid}`);
  mkdirSync(path); // open to others: servers run as users of their own
  return { env: { TMPDIR: path }, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function roomInMemory() {
  if (process.platform !== "linux") return false;
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}

function removeThoseOfKilledRuns() {
  for (const name of readdirSync(memory))
    if (name.startsWith(begin) && !isAlive(Number(name.slice(begin.length))))
      rmSync(join(memory, name), { recursive: true, force: true });
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
