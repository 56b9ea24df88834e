/** What is said in a thread is given alike to every command that says something there. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Desk, desk } from "../support/cli.ts";

const who: Record<string, [flag: string, name: string]> = {
  update: ["--agent", "w"],
  reply: ["--from", "lead"],
  done: ["--agent", "w"],
  fail: ["--agent", "w"],
  cancel: ["--agent", "lead"],
};

/** A thread of its own, held by its worker. */
async function held(at: Desk): Promise<string> {
  const { thread } = (await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "s")).json;
  await at.inbox("claim", thread.thread_id, "--agent", "w");
  return thread.thread_id;
}

test("[C2] [T11] update, reply, done, fail and cancel take their text as an argument, --summary, --body or --body-file", async () => {
  using at = await desk();
  writeFileSync(join(at.path, "text.md"), "what I say\n\nand more of it");
  const ways = [
    ["what I say"],
    ["--summary", "what I say"],
    ["--body", "what I say\n\nand more of it"],
    ["--body-file", "text.md"],
  ];
  for (const [command, as] of Object.entries(who))
    for (const way of ways) {
      const thread = await held(at);
      const said = await at.inbox(command, thread, ...way, ...as);
      expect([command, way, said.code]).toEqual([command, way, 0]);
      expect([command, way, said.json.message.summary]).toEqual([
        command,
        way,
        command === "cancel" ? "cancelled: what I say" : "what I say",
      ]);
      if (way[0]!.startsWith("--body")) expect(said.json.message.body).toContain("and more of it");
    }
});

test("[C2] cancel keeps its reason in one field, whichever flag gave it; two are refused", async () => {
  using at = await desk();
  for (const flag of ["--reason", "--summary"]) {
    const { json } = await at.inbox("cancel", await held(at), flag, "superseded", "--agent", "lead");
    expect(JSON.parse(json.message.payload_json).reason).toBe("superseded");
  }
  const both = await at.inbox("cancel", await held(at), "a", "--summary", "b", "--agent", "lead");
  expect([both.code, both.json.error.hint]).toEqual([30, "leave out REASON, or leave out --summary"]);
});

test("[C2] a text that begins with a hyphen, or is too long for a summary, is refused with the way to pass it", async () => {
  using at = await desk();
  const thread = await held(at);
  const long = "x".repeat(5000);
  const hyphen = (await at.inbox("done", thread, "- first", "--agent", "w")).json.error;
  expect(hyphen.hint).toContain("put -- before a text that begins with -");
  const large = (await at.inbox("done", thread, long, "--agent", "w")).json.error;
  expect([large.code, large.hint]).toEqual(["too_large", expect.stringContaining("--body-file PATH")]);
  // Both ways work.
  const first = await at.human("done", thread, "--agent", "w", "--", "- first");
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("- first")]);
  writeFileSync(join(at.path, "long.txt"), long);
  const other = await held(at);
  const ended = await at.inbox("done", other, "--agent", "w", "--body-file", "long.txt");
  expect(ended.json.message.body).toBe(long);
});

test("[L11] [C13] an agent that forgot what it holds is told, with commands that continue it as they are printed", async () => {
  using at = await desk();
  const thread = await held(at);
  for (const command of ["claim", "fetch"]) {
    const { stdout, code } = await at.human(command, "--agent", "w");
    expect([command, code]).toEqual([command, 10]);
    expect(stdout).toContain(thread);
    expect(stdout).toContain(
      `if no other process of yours works on it, continue with inbox claim ${thread} --agent w; end it with inbox done ${thread} RESULT --agent w, or give it up with inbox release ${thread} --agent w`,
    );
    const { json } = await at.inbox(command, "--agent", "w");
    expect(json.held).toEqual([
      { thread_id: thread, subject: "s", status: "claimed", expires_at: expect.any(String) },
    ]);
  }
  const again = await at.human("claim", thread, "--agent", "w");
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("token")]);
});

test("[W7.6] a message in an ended thread is kept, and the text says that the thread has ended and what to do instead", async () => {
  using at = await desk();
  await at.inbox("send", "--from", "lead", "--to", "ada", "--subject", "s");
  await at.inbox("claim", "thr_1", "--agent", "ada");
  const reply = ["reply", "thr_1", "one more thing", "--agent", "lead"];
  expect((await at.human(...reply)).stdout).not.toContain("note");
  await at.inbox("done", "thr_1", "works", "--agent", "ada");
  const note = (to: string) => `note thr_1 has ended (done) and stays so: the message is mail for ${to}`;
  const more = '; for more work create a thread with inbox send --to ada --subject "…" --agent lead\n';
  for (const command of [reply, ["send", "--thread", "thr_1", "--summary", "again", "--agent", "lead"]]) {
    const { code, stdout } = await at.human(...command);
    expect([code, stdout]).toEqual([0, expect.stringContaining(note("ada") + more)]);
  }
  const other = await at.human("reply", "thr_1", "what was missing?", "--agent", "ada");
  expect(other.stdout).toEndWith(`${note("lead")}\n`);
  expect(
    (await at.inbox("mail", "--agent", "ada")).json.messages.map(
      ({ message }: { message: string }) => message,
    ),
  ).toContain("again");
});

test("[W7.5] wait-reply in an ended thread says how it ended and what shows the result, also below an earlier answer", async () => {
  using at = await desk();
  const wait = ["wait-reply", "thr_1", "--agent", "ada"];
  await at.inbox("send", "--from", "lead", "--to", "ada", "--subject", "s");
  await at.inbox("claim", "thr_1", "--agent", "ada");
  await at.inbox("update", "thr_1", "Go?", "--status", "blocked", "--agent", "ada");
  await at.inbox("reply", "thr_1", "go ahead", "--agent", "lead");
  const open = await at.human(...wait);
  expect([open.code, open.stdout.includes("go ahead"), open.stdout.includes("ended")]).toEqual([
    0,
    true,
    false,
  ]);
  await at.inbox("cancel", "thr_1", "no", "--agent", "lead");
  await at.inbox("check", "--agent", "ada");
  const again = await at.human(...wait);
  expect([again.code, again.stdout]).toEqual([
    0,
    expect.stringMatching(
      /go ahead\n\nthr_1 has ended \(cancelled\): no further reply is to be expected; inbox show thr_1 shows why\n$/,
    ),
  ]);
  await at.inbox("send", "--from", "lead", "--to", "ada", "--subject", "t");
  await at.inbox("claim", "thr_2", "--agent", "ada");
  await at.inbox("done", "thr_2", "works", "--agent", "ada");
  await at.inbox("check", "--agent", "lead");
  const none = await at.human("wait-reply", "thr_2", "--agent", "lead");
  expect([none.code, none.stdout]).toEqual([
    10,
    "thr_2 has ended (done), and there is no new reply; inbox show thr_2 shows its result\n",
  ]);
  const json = await at.inbox("wait-reply", "thr_2", "--agent", "lead");
  expect([json.code, json.json]).toMatchObject([
    10,
    { ok: true, woke: false, thread_id: "thr_2", ended: "done", message: null, messages: [] },
  ]);
});

test("[L4.3] mail, check and receive say that a result came late; in JSON its metadata does", async () => {
  using at = await desk();
  const thread = await held(at);
  await at.inbox("reassign", thread, "--to", "v", "--agent", "lead");
  expect((await at.inbox("done", thread, "all 42", "--agent", "w")).code).toBe(20);
  await at.inbox("claim", thread, "--agent", "v");
  await at.inbox("done", thread, "all 43", "--agent", "v");
  expect((await at.human("mail", "--agent", "lead")).stdout).toMatch(
    /event .* late result: all 42\n.*result .* {2}all 43\n/,
  );
  const { messages } = (await at.inbox("mail", "--agent", "lead")).json;
  const metadata = messages.map((mail: { metadata_json: string }) => JSON.parse(mail.metadata_json));
  expect(metadata).toEqual([{ late: true, command: "done" }, {}]);
  const ways = [
    ["check", "--ack", "manual", "--visibility-seconds", "1"],
    ["receive", "--ack", "manual", "--visibility-seconds", "1", "--max", "2"],
  ];
  for (const way of ways) {
    const { stdout } = await at.human(...way, "--agent", "lead");
    expect(stdout).toMatch(
      / event thr_1 .*\n {2}late result of thr_1: its sender no longer held the thread\n {2}all 42\n/,
    );
    expect(stdout).toMatch(/ result thr_1 .*\n {2}all 43\n/);
  }
});

test("[T12.7] the text of a claim says to whom the thread was assigned, if that was somebody else", async () => {
  using at = await desk();
  await at.inbox("send", "--from", "lead", "--to", "ada", "--subject", "s");
  const claimed = await at.human("claim", "thr_1", "--agent", "bob");
  expect([claimed.code, claimed.stdout]).toEqual([
    0,
    expect.stringContaining('note this thread was assigned to "ada"'),
  ]);
  expect((await at.human("claim", "thr_1", "--agent", "bob")).stdout).not.toContain("note");
});
