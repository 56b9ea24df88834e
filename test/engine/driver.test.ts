import { expect, test } from "bun:test";
import { isSafeSqlite } from "../../src/engines/sqlite/driver.ts";

test("[I3.2] a SQLite is safe from 3.51.3 on", () => {
  const versions = ["3.9.9", "3.50.4", "3.51.2", "3.51.3", "3.52.0", "4.0.0"];
  expect(versions.filter(isSafeSqlite)).toEqual(["3.51.3", "3.52.0", "4.0.0"]);
});
