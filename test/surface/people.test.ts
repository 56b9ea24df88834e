/** The command line as people see it: tables, relative times, colour on a terminal only. */
import { expect, test } from "bun:test";
import { relative, span } from "../../src/surfaces/text/time.ts";
import { bareEnvironment, desk, program } from "../support/cli.ts";

test("[C2] tables line up, also with wide characters, and times are relative", async () => {
  using at = await desk();
  await at.inbox("send", "--from", "リーダー", "--to", "w", "--subject", "first");
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "second", "--priority", "high");
  const { stdout } = await at.human("list");
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toBe("THREAD  STATUS   PRIORITY  FROM      TO  UPDATED  SUBJECT");
  const column = (line: string, word: string) => Bun.stringWidth(line.slice(0, line.indexOf(word)));
  expect(column(lines[1]!, "second")).toBe(column(lines[0]!, "SUBJECT"));
  expect(column(lines[2]!, "first")).toBe(column(lines[0]!, "SUBJECT"));
  expect(stdout).toMatch(/\ds ago/);
});

test("[T9.1] list --leases shows people who holds each thread, and until when", async () => {
  using at = await desk();
  for (const subject of ["held", "free"])
    await at.inbox("send", "--from", "lead", "--to", "w", "--subject", subject);
  await at.inbox("claim", "thr_1", "--agent", "w");
  const { stdout } = await at.human("list", "--leases");
  const [head, free, held] = stdout.trimEnd().split("\n");
  expect(head).toEndWith("SUBJECT  LEASE");
  expect(free).toEndWith("free");
  expect(held).toEndWith("held     w, expires in 15m");
  expect((await at.human("list")).stdout).not.toContain("LEASE");
});

test("[B1.5] mail names the thread of a message", async () => {
  using at = await desk();
  await at.inbox("send", "w", "plain");
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "threaded");
  const [head, plain, threaded] = (await at.human("mail", "--agent", "w")).stdout.trimEnd().split("\n");
  const thread = head!.indexOf("THREAD");
  expect(plain!.slice(thread)).toStartWith("–  ");
  expect(threaded!.slice(thread)).toStartWith("thr_1  ");
});

test("[C2] times as people say them", () => {
  expect([0, 999, 1000, 59_999, 60_000, 3_600_000, 90_000_000].map(span)).toEqual([
    "0s",
    "0s",
    "1s",
    "59s",
    "1m",
    "1h",
    "1d",
  ]);
  const now = Date.parse("2026-01-01T00:00:00.000Z");
  expect(relative("2025-12-31T23:58:00.000Z", now)).toBe("2m ago");
  expect(relative("2026-01-01T00:15:00.000Z", now)).toBe("in 15m");
});

/** Runs a command on a pseudo-terminal of its own. */
async function onTerminal(cwd: string, args: string, env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(["script", "-qec", `${program} ${args}`, "/dev/null"], {
    cwd,
    env: bareEnvironment({ TERM: "xterm", ...env }),
    stdout: "pipe",
    stdin: "ignore",
  });
  return new Response(child.stdout).text();
}

test("[C2] colour only on a terminal, and NO_COLOR is honoured", async () => {
  using at = await desk();
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "s");
  expect((await at.human("list")).stdout).not.toContain("\u001b");
  expect((await at.human("nonsense")).stderr).not.toContain("\u001b");
  expect(await onTerminal(at.path, "list")).toContain("\u001b[33mpending\u001b[0m");
  expect(await onTerminal(at.path, "list", { NO_COLOR: "1" })).not.toContain("\u001b");
  expect(await onTerminal(at.path, "list --json")).not.toContain("\u001b");
});

test("[C2] what an agent wrote cannot steer a person's terminal; JSON has it verbatim", async () => {
  using at = await desk();
  const evil = "red \u001b[31m and a bell \u0007 and a title \u001b]0;owned\u0007";
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", evil, "--body", evil);
  for (const args of [
    ["show", "thr_1"],
    ["list"],
    ["watch", "--after-event", "0"],
    ["claim", "thr_1", "--agent", "w"],
  ])
    for (const steering of ["\u001b", "\u0007"])
      expect((await at.human(...args)).stdout).not.toContain(steering);
  expect((await at.inbox("show", "thr_1")).json.messages[0].body).toBe(evil);
});

test("[C8] doctor says what it checked and what to do", async () => {
  using at = await desk();
  const well = await at.inbox("doctor");
  expect(well.json.healthy).toBe(true);
  expect(well.json.checks.map(({ name }: { name: string }) => name)).toEqual([
    "engine",
    "schema",
    "integrity",
    "journal",
    "log",
    "wake files",
    "file",
    "disk",
    "clock",
    "leases",
    "dead letters",
    "folder",
    "supervisor",
    "readers",
    "entries file",
    "trust",
    "hub",
  ]);
  await Bun.$`chmod 644 ${at.db}`;
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "s");
  await at.inbox("claim", "thr_1", "--agent", "w", "--lease-seconds", "1");
  await at.inbox("watch", "--timeout-seconds", "1.1"); // until the lease has run out
  const ill = (await at.inbox("doctor")).json;
  const warned = ill.checks.filter(({ status }: { status: string }) => status === "warn");
  expect(warned.map(({ name }: { name: string }) => name)).toEqual(["file", "leases"]);
  for (const { fix } of warned) expect(fix).toMatch(/^(chmod 600|inbox claim thr_1)/);
  expect(ill.healthy).toBe(true);
});

test("[C8] doctor fails on a damaged database", async () => {
  using at = await desk();
  for (let i = 0; i < 50; i++) await at.inbox("send", "w", "x".repeat(500));
  const file = Bun.file(at.db);
  const bytes = new Uint8Array(await file.arrayBuffer());
  bytes.fill(0xee, 4096 * 4, 4096 * 12);
  await Bun.write(at.db, bytes);
  const { code, json } = await at.inbox("doctor");
  expect(code).toBe(50);
  if (json.ok) expect(json.healthy).toBe(false);
  else expect(json.error.code).toBe("storage");
});
