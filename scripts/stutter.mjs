/**
 * Stops one process of this program's family after the other for a moment, as a busy machine does: for failures that come where
 * one process is late.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** [number, parent] of every process that is not stopped: some tests stop one themselves. */
function processes() {
  const found = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const parent = /\) [^T] (\d+) /.exec(stat)?.[1];
      if (parent) found.push([Number(name), Number(parent)]);
    } catch {
      // It has ended.
    }
  }
  return found;
}

const folder = (pid) => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
};

/** All that this process has started, and what those have. One that was left by its parent is known by its folder. */
function family() {
  const all = processes();
  const members = new Set([process.pid]);
  for (const [pid, parent] of all) if (parent === 1 && folder(pid).includes("/restante-")) members.add(pid);
  for (let before = 0; before !== members.size; ) {
    before = members.size;
    for (const [pid, parent] of all) if (members.has(parent)) members.add(pid);
  }
  members.delete(process.pid);
  return [...members];
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** Until it is told to end; each is stopped for at most so many milliseconds. */
export function stutter(most) {
  const stopped = new Set();
  const timer = setInterval(() => {
    const members = family();
    const pid = members[Math.floor(Math.random() * members.length)];
    if (pid === undefined || stopped.has(pid)) return;
    stopped.add(pid);
    signal(pid, "SIGSTOP");
    setTimeout(
      () => {
        signal(pid, "SIGCONT");
        stopped.delete(pid);
      },
      most * Math.random() ** 2,
    );
  }, 100);
  const end = () => {
    clearInterval(timer);
    for (const pid of stopped) signal(pid, "SIGCONT");
  };
  process.on("exit", end);
  return end;
}
