/** [L8] How a process finds out that its clock is wrong, and that it only stood still. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileClock } from "../../src/engines/sqlite/clock.ts";
import { touch } from "../../src/platform/system.ts";
import { temporaryFolder } from "../support/folder.ts";

test("[L8] a process that stands still while it looks at the file system's clock keeps its own", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  writeFileSync(`${path}-shm`, "");
  let stopped = false;
  const now = fileClock(path, (file) => {
    const done = touch(file);
    if (!stopped) Bun.sleepSync(2100);
    stopped = true;
    return done;
  });
  now(); // asks the file system
  const [least, time, most] = [Date.now(), now(), Date.now()];
  expect(stopped).toBe(true);
  expect(time).toBeGreaterThanOrEqual(least);
  expect(time).toBeLessThanOrEqual(most);
});
