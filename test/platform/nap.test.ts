/** A process that only waits sleeps in the kernel: what still reaches it there. Linux only. */
import { describe, expect, test } from "bun:test";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openInotify } from "../../src/platform/inotify.ts";
import { isPortable } from "../../src/platform/portable.ts";
import { touch } from "../../src/platform/system.ts";
import { root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

/** Runs a program that sleeps, and returns what it printed. The last argument is called `file`, and is there. */
async function sleeping(lines: string): Promise<{ text: string; code: number | null }> {
  using folder = temporaryFolder();
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  const script = `
    const { openNap } = await import("${root}/src/platform/nap.ts");
    const { after, stayAwake } = await import("${root}/src/platform/quiet.ts");
    const file = ${JSON.stringify(file)};
    const say = (text) => require("node:fs").writeSync(1, text);
    const nap = openNap();
    const never = setInterval(() => {}, 1 << 30);
    ${lines}`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const text = await new Response(child.stdout).text();
  return { text, code: await child.exited };
}

describe.skipIf(isPortable())("a process that naps", () => {
  test("[W1] [W4] gets a signal at once", async () => {
    const { text, code } = await sleeping(`
      process.once("SIGINT", () => { say("interrupted"); process.exit(3); });
      nap.begin(() => performance.now() + 60_000);
      require("node:child_process").spawn("sh", ["-c", "sleep 0.2; kill -INT " + process.pid]);`);
    expect({ text, code }).toEqual({ text: "interrupted", code: 3 });
  });

  test("[W1] does what has to be done regularly, and what follows from it, without the event loop", async () => {
    const { text } = await sleeping(`
      let rounds = 0;
      nap.begin(() => {
        if (++rounds === 4) Promise.resolve().then(() => { say("four rounds"); process.exit(); });
        return performance.now() + 50;
      });
      setTimeout(() => say("a timer that it was not told of, "), 100);`);
    expect(text).toBe("four rounds");
  });

  test("[W1] is not late for the timers of its waits", async () => {
    const { text } = await sleeping(`
      nap.begin(() => performance.now() + 60_000);
      const set = performance.now();
      after(200, () => { say(performance.now() - set < 10_000 ? "in time" : "late"); process.exit(); });`);
    expect(text).toBe("in time");
  });

  test("[W1] does not nap while something is being done", async () => {
    const { text } = await sleeping(`
      const rest = stayAwake();
      nap.begin(() => performance.now() + 60_000);
      setTimeout(() => { say("a timer, "); rest(); }, 100);
      after(300, () => { say("and the end"); process.exit(); });`);
    expect(text).toBe("a timer, and the end");
  });

  test("[W1] [W5] hears of each change to a file, however close together", async () => {
    const { text } = await sleeping(`
      let heard = 0;
      nap.watch(file, () => { if (++heard === 20) { say("all"); process.exit(); } ring(); });
      const { touch } = await import("${root}/src/platform/system.ts");
      const ring = () => touch(file);
      nap.begin(() => performance.now() + 60_000);
      ring();`);
    expect(text).toBe("all");
  });

  test("[W1] [W5] hears of a change also while something else keeps it awake", async () => {
    const { text } = await sleeping(`
      stayAwake();
      nap.watch(file, () => { say("heard"); process.exit(); });
      nap.begin(() => performance.now() + 60_000);
      setTimeout(() => { say("nothing"); process.exit(); }, 20_000);
      (await import("${root}/src/platform/system.ts")).touch(file);`);
    expect(text).toBe("heard");
  });

  test("[W1] has one nap: its thread cannot sleep for two", async () => {
    expect((await sleeping(`say(String(openNap())); process.exit();`)).text).toBe("undefined");
  });
});

describe.skipIf(isPortable())("file events", () => {
  test("[W5] come for a new time, an append and a deletion, and no longer after the watch was closed", () => {
    using folder = temporaryFolder();
    const [file, other] = [join(folder.path, "file"), join(folder.path, "other")];
    for (const path of [file, other]) writeFileSync(path, "");
    const inotify = openInotify()!;
    const heard: string[] = [];
    const watcher = inotify.watch(file, () => heard.push("file"));
    inotify.watch(other, () => heard.push("other"));
    const after = (change: () => void) => {
      heard.length = 0;
      change();
      inotify.deliver();
      return [...heard];
    };
    expect(after(() => {})).toEqual([]);
    expect(after(() => touch(file))).toEqual(["file"]);
    expect(after(() => appendFileSync(other, "."))).toEqual(["other"]);
    expect(after(() => [touch(file), touch(other), touch(file)])).toEqual(["file", "other"]);
    expect(after(() => rmSync(other))).toEqual(["other"]);
    watcher.close();
    expect(after(() => touch(file))).toEqual([]);
    expect(() => inotify.watch(other, () => {})).toThrow("cannot be watched");
  });
});
