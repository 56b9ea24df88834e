/** No address is shown with its password, and none without one is shown as another. */
import { expect, test } from "bun:test";
import { InboxError } from "../../src/contract/errors.ts";
import { withoutPassword } from "../../src/contract/secret.ts";
import { start } from "../support/cli.ts";

test.each([
  ["postgres://u:secret@h/db", "postgres://u@h/db"],
  ["postgres://u:secret@a:1,b:2/db", "postgres://u@a:1,b:2/db"],
  ["postgres://u:se/cr@et@h/db", "postgres://u@h/db"],
  ["u:secret@h", "u@h"],
  ["http://user:pw@hub:3456/x", "http://***@hub:3456/x"],
  ["https://rst_token@hub", "https://***@hub"],
  ["http://user:p@ss/wo?rd@hub", "http://***@hub"],
  [" amqp://u:secret\n@h", " amqp://u@h"],
  ["postgres://h/db?user=u&password=secret&schema=s", "postgres://h/db?user=u&password=***&schema=s"],
])("[G4] %p is shown as %p", (address, shown) => {
  expect(withoutPassword(address)).toBe(shown);
});

test.each([
  "postgres://u@a:1,b:2/db",
  "postgres://u@h:5432/db?schema=x",
  "http://h:3456/x",
  "http://h:3456/x?to=a@b",
  "http://h/@x",
  "/tmp/a:b/coord.db",
])("[G4] %p has no password, and is shown as it is", (address) => {
  expect(withoutPassword(address)).toBe(address);
});

test("[G4] an error shows no password, whatever its source", () => {
  const { message } = new InboxError(
    "storage",
    "connect to postgres://u:secret@h/db and amqp://u:secret@h failed, see http://u:secret@h/",
  );
  expect(message).toBe("connect to postgres://u@h/db and amqp://u@h failed, see http://***@h/");
});

const commands: string[][] = [
  ["list"],
  ["claim", "--agent", "w"],
  ["watch", "--timeout-seconds", "1"],
  ["receive", "--agent", "w", "--timeout-seconds", "1"],
  ["init"],
  ["doctor"],
  ["serve"],
  ["setup", "claude"],
  ["mcp"],
  ["migrate", "--from", "http://user:hunter2@127.0.0.1:9", "--to", "x.db"],
];

test.each(commands.map((words) => [words[0]!, words] as const))(
  "[G4] inbox %s says nothing of the password in an address",
  async (_, words) => {
    for (const address of [
      "http://user:hunter2@127.0.0.1:9",
      "http://hunter2@127.0.0.1:9",
      "http://user:hunter2 @127.0.0.1:9",
      "postgres://user:hunter2@127.0.0.1:9/x",
      "postgres://user:hunter2@127.0.0.1:9/x?pool=none",
      "ftp://user:hunter2@127.0.0.1",
    ])
      for (const delivery of [[], ["--delivery", "amqp://user:hunter2@127.0.0.1:9"]]) {
        if (words[0] === "serve" && address.startsWith("postgres")) continue; // it waits for its database
        const child = start([...words, "--db", address, ...delivery]);
        child.stdin.end();
        const [out, err] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text(),
        ]);
        expect([address, delivery, out + err]).toEqual([
          address,
          delivery,
          expect.not.stringContaining("hunter2"),
        ]);
      }
  },
);
