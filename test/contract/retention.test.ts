/** What retention deletes, and what it never does. */
import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const day = 86_400;
const post = (inbox: Inbox, channel: string, content = "x") =>
  inbox.call("messages.send", { channel, content, sender: "ci" });
const keep = (inbox: Inbox, kind: "all" | "events" | "mail" | "threads", days?: number, count?: number) =>
  inbox.call("retention.set", {
    kind,
    agent: "boss",
    ...(days !== undefined && { days }),
    ...(count !== undefined && { count }),
  });

/** What a gc deletes, or would: only what is not 0. */
async function gc(inbox: Inbox, dryRun = false): Promise<Record<string, number>> {
  const { deleted, expired } = await inbox.call("retention.apply", { dryRun });
  const counts = [...deleted.map(({ kind, count }) => [kind, count] as const), ["expired", expired] as const];
  return Object.fromEntries(counts.filter(([, count]) => count));
}
const events = async (inbox: Inbox, afterEvent = 0) =>
  (await inbox.call("events.watch", { afterEvent, limit: 1000, timeoutSeconds: 0 })).events;

describe.each(engines)("$name", ({ start }) => {
  test("[Y1] nothing is deleted before a limit is set, and limits are shown as they were set", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "builds");
    await inbox.call("messages.ack", { id: 1, agent: "w" });
    bench.pass(1000 * day);
    expect(await gc(inbox)).toEqual({});
    const { rules } = await inbox.call("retention.show", {});
    expect(rules.map(({ kind }) => kind)).toEqual([
      "entries",
      "transcripts",
      "tasks",
      "threads",
      "mail",
      "dead-letters",
      "events",
    ]);
    expect(rules.every(({ days, count }) => days === null && count === null)).toBe(true);
    await keep(inbox, "mail", 1.5, 10);
    const set = (await inbox.call("retention.show", {})).rules;
    expect(set.find(({ kind }) => kind === "mail")).toEqual({ kind: "mail", days: 1.5, count: 10 });
    await keep(inbox, "all");
    expect((await inbox.call("retention.show", {})).rules).toEqual(rules);
  });

  test("[Y3] old events go, and a cursor before those that are left has expired", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 5; i++) await post(inbox, "builds");
    const old = await events(inbox);
    await keep(inbox, "events", 30);
    bench.pass(31 * day);
    await post(inbox, "builds", "new");
    expect(await gc(inbox, true)).toEqual({ events: old.length + 2 });
    expect((await events(inbox)).length).toBeGreaterThan(old.length + 2);
    expect(await gc(inbox)).toEqual({ events: old.length + 2 });
    const left = await events(inbox);
    expect(left.map(({ eventType }) => eventType)).toEqual(["message.sent", "retention.applied"]);
    const error = await refusal(events(inbox, old[1]!.eventId));
    expect([error.code, error.details?.oldest_after]).toEqual(["cursor_expired", left[0]!.eventId - 1]);
    expect(await events(inbox, left[0]!.eventId - 1)).toEqual(left);
    expect(await gc(inbox)).toEqual({});
    // What was sent stays, and can be found.
    expect((await inbox.call("messages.pending", { channel: "builds" })).count).toBe(6);
    expect((await inbox.call("search.find", { q: "new" })).hits.length).toBe(1);
  });
});
