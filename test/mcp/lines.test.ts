/** [C5] What `inbox mcp` says to lines on its standard input that are no messages. */
import { expect, test } from "bun:test";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

test("[C5] a line that is not JSON is answered with -32700, one that is not a message with -32600, and the session continues", async () => {
  using folder = temporaryFolder();
  const db = `${folder.path}/coord.db`;
  createDatabase(db);
  const child = start(["mcp", "--db", db]);
  const ping = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
  const whole = `{ this is not JSON\n\n${ping(1)}\n[1, 2]\n"text"\n${ping(2)}\n`;
  // A line may come in pieces.
  child.stdin.write(whole.slice(0, 5));
  await child.stdin.flush();
  child.stdin.write(whole.slice(5));
  await child.stdin.end();
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  expect(await child.exited).toBe(0);
  const answers = lines.map((line) => JSON.parse(line) as { id: number | null; error?: { code: number } });
  expect(answers.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([
    -32_700, -32_600, -32_600,
  ]);
  expect(answers.flatMap(({ id }) => (id === null ? [] : [id]))).toEqual([1, 2]);
});
