/** No address is shown with its password, and none without one is shown as another. */
import { expect, test } from "bun:test";
import { withoutPassword } from "../../src/contract/secret.ts";

test.each([
  ["postgres://u:secret@h/db", "postgres://u@h/db"],
  ["postgres://u:secret@a:1,b:2/db", "postgres://u@a:1,b:2/db"],
  ["postgres://u:se/cr@et@h/db", "postgres://u@h/db"],
  ["u:secret@h", "u@h"],
  [" amqp://u:secret\n@h", " amqp://u@h"],
  ["postgres://h/db?user=u&password=secret&schema=s", "postgres://h/db?user=u&password=***&schema=s"],
])("[G4] %p is shown as %p", (address, shown) => {
  expect(withoutPassword(address)).toBe(shown);
});

test.each([
  "postgres://u@a:1,b:2/db",
  "postgres://u@h:5432/db?schema=x",
  "http://h:3456/x",
  "/tmp/a:b/coord.db",
])("[G4] %p has no password, and is shown as it is", (address) => {
  expect(withoutPassword(address)).toBe(address);
});
