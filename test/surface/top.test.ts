/** `inbox top`, as a person sits before it, and as a script runs it. */
import { expect, test } from "bun:test";
import { openInbox } from "../../src/inbox/inbox.ts";
import { inShell } from "../../src/surfaces/spelling/shell.ts";
import { plainPaint } from "../../src/surfaces/text/paint.ts";
import { render } from "../../src/surfaces/text/render.ts";
import { desk, run } from "../support/cli.ts";
import { sitDown } from "../support/terminal.ts";

const other = "\u001b[?1049h";
const back = "\u001b[?1049l";

test("[O2] top draws on the other screen, follows what happens, and gives the terminal back with q and with Ctrl-C", async () => {
  using at = await desk();
  for (const key of ["q", "\u0003"]) {
    await using seat = sitDown(["top", "--interval", "0.1"], at.path);
    await seat.sees(other);
    await seat.sees(key === "q" ? "0 pending" : "1 pending");
    const to = key === "q" ? "ada" : "bob";
    await at.inbox("send", "--agent", "lead", "--to", to, "--subject", "s");
    await seat.sees(key === "q" ? "1 pending" : "2 pending");
    await seat.sees("QUEUE");
    seat.resize(40, 8);
    const small = await seat.sees("in the last minute: ");
    expect(small).not.toContain("\n\n\n");
    seat.type(key);
    await seat.sees(back);
    expect(await seat.exited).toBe(0);
  }
});

test("[O2] without a terminal, with --once and with --json top prints once", async () => {
  using at = await desk();
  await at.inbox("send", "ada", "hello", "--agent", "ada");
  const plain = await at.human("top");
  const once = await at.human("top", "--once");
  // It gets older from one look to the next.
  const ageless = (text: string) => text.replace(/\b\d+s\b/g, "a while");
  expect([plain.code, ageless(plain.stdout)]).toEqual([0, ageless(once.stdout)]);
  expect(plain.stdout).toContain("mail     1 waiting");
  expect(plain.stdout).toMatch(/^ended {4}in the last \d+ hours: 0 done, 0 failed, 0 cancelled$/m);
  expect(plain.stdout).toMatch(/^traffic {2}in the last minute: 1 sent, 0 claimed, 0 ended, /m);
  expect(plain.stdout).not.toContain("\u001b");
  const { json } = await at.inbox("top");
  expect(json).toMatchObject({ ok: true, command: "top", mail: { waiting: 1, oldest: { agent: "ada" } } });
  const nowhere = await run(["top", "--json"], { cwd: "/" });
  expect([nowhere.code, nowhere.json.error.code]).toEqual([40, "not_initialized"]);
});

test("[O1] [B8] agents and stats show the answer of a hub of an earlier version, which counts no unused names", async () => {
  using at = await desk();
  const inbox = openInbox(at.db);
  await inbox.call("mailbox.send", { from: "bob", to: "ada", message: "hello" });
  const stats = await inbox.call("stats.show", {});
  const agents = await inbox.call("agents.list", {});
  const earlier = {
    stats: { ...stats, unused: undefined, mail: { ...stats.mail, unused: undefined } },
    agents: { ...agents, unused: undefined },
  };
  expect(render("stats.show", earlier.stats as never, plainPaint, inShell)).toContain(
    "0 waiting, 0 dead letters",
  );
  expect(render("agents.list", earlier.agents as never, plainPaint, inShell)).toContain("bob");
  await inbox.close();
});
