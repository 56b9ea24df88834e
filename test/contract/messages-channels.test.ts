/** Which channels there are, and the end of a long one. */
import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const post = (inbox: Inbox, channel: string, ttlSeconds?: number) =>
  inbox.call("messages.send", { channel, content: "x", sender: "ci", ...(ttlSeconds && { ttlSeconds }) });

describe.each(engines)("$name", ({ start }) => {
  test("[M6] every channel is listed by name, with its pending messages and its newest message", async () => {
    await using bench = await start();
    const { inbox } = bench;
    expect(await inbox.call("messages.channels", {})).toEqual({ channels: [], hasMore: false });
    for (const channel of ["builds", "alerts", "builds"]) await post(inbox, channel);
    await post(inbox, "brief", 10);
    await inbox.call("messages.ack", { id: 2, agent: "w" });
    bench.pass(11);
    expect(await inbox.call("messages.channels", {})).toEqual({
      channels: [
        { channel: "alerts", pending: 0, latestId: 2 },
        { channel: "brief", pending: 0, latestId: 4 },
        { channel: "builds", pending: 2, latestId: 3 },
      ],
      hasMore: false,
    });
    expect((await inbox.call("messages.channels", { pending: true })).channels).toEqual([
      { channel: "builds", pending: 2, latestId: 3 },
    ]);
  });

  test("[M6] the list of channels is read page by page, none twice and none left out", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const names = Array.from({ length: 7 }, (_, i) => `c${i}`);
    for (const name of names) await post(inbox, name);
    const found: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await inbox.call("messages.channels", { limit: 3, ...(after && { after }) });
      found.push(...page.channels.map(({ channel }) => channel));
      if (!page.hasMore) break;
      after = page.channels.at(-1)!.channel;
    }
    expect(found).toEqual(names);
  });

  test("[M2] the newest messages of a channel are read without walking through it, oldest first", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 5; i++) await post(inbox, "builds");
    await inbox.call("messages.ack", { id: 4, agent: "w" });
    const ids = async (more: object) =>
      (await inbox.call("messages.inbox", { channel: "builds", newest: true, ...more })).messages.map(
        ({ id }) => id,
      );
    expect(await ids({ limit: 2 })).toEqual([3, 5]);
    expect(await ids({ limit: 2, includeAcked: true })).toEqual([4, 5]);
    expect(await ids({})).toEqual([1, 2, 3, 5]);
    for (const position of [{ afterId: 1 }, { reader: "r" }])
      expect((await refusal(ids(position))).code).toBe("invalid_input");
  });
});
