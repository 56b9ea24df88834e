/** What is said on the bus is for its owner's eyes, whatever the umask. */
import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { program, run, start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { untilWatching } from "../support/until.ts";

/** The program by a shell that takes no permission away. */
const generous = ["sh", "-c", 'umask 000; exec "$0" "$@"', program];

function modes(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    ["", ...names].map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );
}

test("[S5] under umask 000 the folder is 0700 and every file in it 0600, also those of a waiter", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, program: generous };
  expect((await run(["init"], options)).code).toBe(0);
  expect(modes(join(folder.path, ".agents"))).toEqual({ "": "700", ".gitignore": "600", "coord.db": "600" });

  expect((await run(["send", "--from", "l", "--to", "w", "--subject", "s"], options)).code).toBe(0);
  const waiter = start(["wait-reply", "thr_1", "--agent", "l", "--json"], options);
  try {
    await untilWatching(waiter);
    const found = modes(join(folder.path, ".agents"));
    const wakeFiles = Object.keys(found).filter((name) => name.startsWith("coord.db-wake/"));
    expect(wakeFiles.length).toBeGreaterThan(0);
    expect(found).toEqual({
      "": "700",
      ".gitignore": "600",
      "coord.db": "600",
      "coord.db-wal": "600",
      "coord.db-shm": "600",
      "coord.db-wake": "700",
      ...Object.fromEntries(wakeFiles.map((name) => [name, "600"])),
    });
  } finally {
    waiter.kill();
    await waiter.exited;
  }
});

test("[S5] every folder that init has to make is 0700", async () => {
  using folder = temporaryFolder();
  expect((await run(["init", "--db", "a/b/coord.db"], { cwd: folder.path, program: generous })).code).toBe(0);
  expect(modes(join(folder.path, "a"))).toEqual({ "": "700", b: "700", "b/coord.db": "600" });
});

test("[S5] an empty file that others could read is theirs no more once it is a database", async () => {
  using folder = temporaryFolder();
  await Bun.write(join(folder.path, "coord.db"), "");
  expect((await run(["init", "--db", "coord.db"], { cwd: folder.path, program: generous })).code).toBe(0);
  expect((statSync(join(folder.path, "coord.db")).mode & 0o777).toString(8)).toBe("600");
});
