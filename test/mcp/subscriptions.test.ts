/** [C5] Who subscribes to an inbox or a thread hears of every change, in both revisions and over both transports. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { InboxError } from "../../src/contract/errors.ts";
import { type EndSignal, type Inbox, openInbox } from "../../src/inbox/inbox.ts";
import { openChanges } from "../../src/surfaces/mcp/changes.ts";
import { root } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";
import { overHttp, overStdio, type Revision, revisions, type Visitor } from "../support/mcp.ts";
import { until } from "../support/until.ts";

/** What an extension answers the client passes on as it is. */
const anything = v.looseObject({});
const transports = ["HTTP", "stdio", "stdio to a hub"] as const;
const cases = transports.flatMap((transport) => revisions.map((revision) => ({ transport, revision })));

async function place(transport: (typeof transports)[number], revision: Revision) {
  const hub = await hubHere();
  const as = (agent: string) =>
    transport === "HTTP"
      ? overHttp(`${hub.url}/mcp?agent=${agent}`, revision)
      : overStdio(transport === "stdio" ? hub.db : hub.url, revision, agent);
  return { hub, as, [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose]() };
}

/** Subscribes as the revision does it, and tells what is heard, and how to stop. */
async function subscribed({ client }: Visitor, revision: Revision, ...uris: string[]) {
  const heard: string[] = [];
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => void heard.push(params.uri),
  );
  if (revision === revisions[0]) {
    const subscription = await client.listen({ resourceSubscriptions: uris });
    expect(subscription.honoredFilter.resourceSubscriptions).toEqual(uris);
    return { heard, stop: () => subscription.close() };
  }
  for (const uri of uris) await client.subscribeResource({ uri });
  return {
    heard,
    stop: async () => {
      for (const uri of uris) await client.unsubscribeResource({ uri });
    },
  };
}

describe.each(cases)("$transport $revision", ({ transport, revision }) => {
  test("[C5] mail that comes and mail that is taken, and whatever happens in a thread", async () => {
    await using at = await place(transport, revision);
    await using lead = await at.as("the lead");
    await using worker = await at.as("w1");
    const [inbox, thread] = ["inbox://agents/the%20lead/inbox", "inbox://threads/thr_1"];
    const { heard, stop } = await subscribed(lead, revision, inbox, thread);
    const next = async (act: () => Promise<unknown>, ...uris: string[]) => {
      heard.length = 0;
      await act();
      await until("the subscriber has heard of the change", () => uris.every((uri) => heard.includes(uri)));
    };
    await next(() => worker.call("send_message", { receiver_id: "the lead", message: "hello" }), inbox);
    await next(() => lead.call("check"), inbox);
    await next(() => lead.call("send_task", { to: "w1", subject: "s" }), thread);
    await next(() => worker.call("claim"), thread);
    await next(() => worker.call("done", { thread: "thr_1", summary: "ok" }), inbox, thread);
    expect(new Set(heard)).toEqual(new Set([inbox, thread]));
    // From another process, too.
    await next(() => at.hub.ask("POST /api/mailbox/the%20lead/send", { from: "x", message: "m" }), inbox);
    await stop();
    heard.length = 0;
    await using other = await at.as("w2");
    const second = await subscribed(other, revision, inbox);
    await worker.call("send_message", { receiver_id: "w1", message: "not for the lead" });
    await worker.call("send_message", { receiver_id: "the lead", message: "unheard" });
    await until("the second subscriber has heard", () => second.heard.length > 0);
    expect([heard, new Set(second.heard)]).toEqual([[], new Set([inbox])]);
  });

  test("[C5] of many changes at once the last is not left out", async () => {
    await using at = await place(transport, revision);
    await using lead = await at.as("lead");
    const inbox = "inbox://agents/lead/inbox";
    const { heard } = await subscribed(lead, revision, inbox);
    const total = async () => {
      const { contents } = await lead.client.readResource({ uri: inbox });
      return (contents[0] as { text: string }).text.split("\n").length - 1;
    };
    for (let i = 0; i < 40; i++)
      void at.hub.ask("POST /api/mailbox/lead/send", { from: "x", message: `m${i}` });
    let seen = 0;
    await until("the subscriber has heard of, and read, all forty", async () => {
      const news = heard.splice(0).length;
      if (news) seen = await total();
      return seen === 40;
    });
  });

  test("[C7] skills are listed, and read by address as they are on disk", async () => {
    await using at = await place(transport, revision);
    await using lead = await at.as("lead");
    const names = readdirSync(join(root, "skills")).sort();
    const { skills } = (await lead.client.request(
      { method: "skills/list", params: {} },
      anything,
    )) as unknown as { skills: { uri: string; frontmatter: { name: string } }[] };
    expect(skills.map(({ frontmatter }) => frontmatter.name).sort()).toEqual(names);
    for (const { uri } of skills) {
      const { contents } = await lead.client.readResource({ uri });
      const [, name] = /^skill:\/\/(.+)\/SKILL\.md$/.exec(uri)!;
      expect((contents[0] as { text: string }).text).toBe(
        await Bun.file(join(root, "skills", name!, "SKILL.md")).text(),
      );
      const got = await lead.client.request({ method: "skills/get", params: { uri } }, anything);
      expect(got).toMatchObject({
        skill: { uri, resources: [{ uri, digest: expect.stringMatching(/^sha256:/) }] },
      });
    }
    await expect(
      lead.client.request({ method: "skills/get", params: { uri: "skill://none/SKILL.md" } }, anything),
    ).rejects.toThrow("there is no skill");
  });
});

test("[C5] an address that can never be anything is refused", async () => {
  await using at = await place("HTTP", "2025-11-25");
  await using lead = await at.as("lead");
  await expect(lead.client.subscribeResource({ uri: "inbox://nothing" })).rejects.toThrow(
    "there is no resource",
  );
});

test("[C5] events are read only while somebody listens, and changes during an outage are reported after it", async () => {
  await using hub = await hubHere();
  const inbox = openInbox(hub.db);
  try {
    const reads: EndSignal[] = [];
    let away = true;
    const changes = openChanges({
      ...inbox,
      follow(input, options) {
        reads.push(options!.signal!);
        if (away) throw new InboxError("busy", "away");
        return inbox.follow(input, options);
      },
    });
    const subscribed = await changes.ready();
    const heard = new Set<string>();
    const [first, second] = [changes.subscribe((uri) => heard.add(uri)), changes.subscribe(() => {})];
    subscribed();
    await until("the events are read", () => reads.length > 0);
    await inbox.call("mailbox.send", { from: "x", to: "lead", message: "m" });
    away = false;
    await until("the listener has heard of the mail", () => heard.has("inbox://agents/lead/inbox"));
    first();
    expect(reads.at(-1)!.aborted).toBe(false);
    second();
    expect(reads.at(-1)!.aborted).toBe(true);
  } finally {
    await inbox.close();
  }
});

/** A bus where something comes before every call. */
const calling = (inbox: Inbox, before: () => Promise<void>) =>
  ({
    ...inbox,
    async call(...args: never) {
      await before();
      return (inbox.call as (...args: never) => Promise<never>)(...args);
    },
  }) as Inbox;

test("[C5] with a slow bus, too, a subscriber misses nothing", async () => {
  await using hub = await hubHere();
  const inbox = openInbox(hub.db);
  try {
    const changes = openChanges(calling(inbox, () => Bun.sleep(1200)));
    const subscribed = await changes.ready();
    const heard = new Set<string>();
    const stop = changes.subscribe((uri) => heard.add(uri));
    subscribed();
    await inbox.call("mailbox.send", { from: "x", to: "lead", message: "m" });
    await until("the mail is told of", () => heard.has("inbox://agents/lead/inbox"));
    stop();
  } finally {
    await inbox.close();
  }
});

test("[C5] a client that subscribes before there is a bus is told about changes once there is one", async () => {
  await using hub = await hubHere();
  const inbox = openInbox(hub.db);
  try {
    let asked = 0;
    const changes = openChanges(
      calling(inbox, async () => {
        if (++asked === 1) throw new InboxError("not_initialized", "there is no bus yet");
      }),
    );
    const heard = new Set<string>();
    const stop = changes.subscribe((uri) => heard.add(uri));
    await until("the mail is told of", async () => {
      await inbox.call("mailbox.send", { from: "x", to: "lead", message: "m" });
      await Bun.sleep(20);
      return heard.has("inbox://agents/lead/inbox");
    });
    stop();
  } finally {
    await inbox.close();
  }
});

test("[C5] many changes at once are reported together", async () => {
  await using hub = await hubHere();
  const inbox = openInbox(hub.db);
  try {
    const read = Promise.withResolvers<void>();
    const changes = openChanges({
      ...inbox,
      async *follow(input, options) {
        await read.promise;
        yield* inbox.follow(input, options);
      },
    });
    const subscribed = await changes.ready();
    const heard: string[] = [];
    const stop = changes.subscribe((uri) => heard.push(uri));
    subscribed();
    for (let i = 0; i < 40; i++) await inbox.call("mailbox.send", { from: "x", to: "lead", message: `${i}` });
    read.resolve();
    await until("the changes are told of", () => heard.length);
    await inbox.call("mailbox.send", { from: "x", to: "other", message: "after them" });
    await until("the next one is told of, too", () => heard.includes("inbox://agents/other/inbox"));
    expect(heard).toEqual(["inbox://agents/lead/inbox", "inbox://agents/other/inbox"]);
    stop();
  } finally {
    await inbox.close();
  }
});
