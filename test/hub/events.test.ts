/** GET /api/events: what happens, as it happens. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { openInbox } from "../../src/inbox/inbox.ts";
import { connect } from "../../src/surfaces/client/client.ts";
import { openSse, type SseWriter } from "../../src/surfaces/http/sse.ts";
import { type Ask, hubHere, served } from "../support/hub.ts";
import { line } from "../support/socket.ts";
import { openStream } from "../support/sse.ts";
import { until } from "../support/until.ts";

const post = (ask: Ask, content: string, channel = "c") =>
  ask("POST /api/messages", { channel, content, sender: "s" });
const thread = (ask: Ask, to: string, run = "default", subject = "s") =>
  ask("POST /api/threads", { from: "lead", to, subject, run });
const ids = (events: { id: string }[]) => events.map(({ id }) => Number(id));

/** A signal that counts who listens to it. */
function countedSignal() {
  const { signal } = new AbortController();
  let listening = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: unknown[]) => {
    listening++;
    addEventListener.apply(signal, args as never);
  };
  signal.removeEventListener = (...args: unknown[]) => {
    listening--;
    removeEventListener.apply(signal, args as never);
  };
  return { signal, listening: () => listening };
}

test("[W6] a stream of server-sent events ends once and leaves no listener behind, whichever side ends it", async () => {
  const endings: [string, (stream: Response, writer: SseWriter) => unknown][] = [
    ["its reader", (stream) => stream.body!.cancel()],
    ["its writer", (_, writer) => writer.end()],
    ["both", (stream, writer) => [stream.body!.cancel(), writer.end()]],
  ];
  for (const [who, end] of endings) {
    const ends = countedSignal();
    const calls: string[] = [];
    let writer: SseWriter | undefined;
    const stream = openSse({
      ends: [ends.signal],
      over: () => calls.push("over"),
      begin: (given) => {
        writer = given;
        return () => calls.push("stopped");
      },
    });
    expect([who, ends.listening()]).toEqual([who, 1]);
    await end(stream, writer!);
    expect([who, ends.listening(), calls]).toEqual([who, 0, ["stopped", "over"]]);
    expect(writer!.write({ event: "late", data: {} })).toBe(false);
  }
});

describe("a stream", () => {
  test("[W6] tells every event with its id, type and content, from now on", async () => {
    await using hub = await hubHere();
    await thread(hub.ask, "w");
    const stream = await openStream(`${hub.url}/api/events`);
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    await thread(hub.ask, "w");
    await hub.ask("POST /api/threads/thr_2/reply", { from: "lead", to: "w", summary: "more" });
    const [created, sent] = await stream.take(2);
    expect([created!.event, sent!.event]).toEqual(["thread.created", "message.sent"]);
    for (const { id, event, data } of [created!, sent!])
      expect(data).toMatchObject({ eventId: Number(id), eventType: event });
    expect(Number(sent!.id)).toBe(Number(created!.id) + 1);
    const { json } = await hub.ask(`GET /api/events/wait?afterEvent=${Number(created!.id) - 1}`);
    expect(json.events).toEqual([created!.data, sent!.data]);
    stream.close();
  });

  test("[W6] misses nothing that is written right after it said that it listens", async () => {
    await using hub = await hubHere();
    await post(hub.ask, "the sender is known from here on");
    for (let i = 0; i < 20; i++) {
      const stream = await openStream(`${hub.url}/api/events`);
      const { id } = (await post(hub.ask, String(i))).json;
      expect((await stream.next()).data.messageId).toBe(`msg_${id}`);
      stream.close();
    }
  });

  test("[W6] takes filters, and refuses unknown ones", async () => {
    await using hub = await hubHere();
    await thread(hub.ask, "a");
    await thread(hub.ask, "b", "night");
    const first = async (query: string) => {
      const stream = await openStream(`${hub.url}/api/events?afterEvent=0&${query}`);
      const { data } = await stream.next();
      stream.close();
      return data.threadId;
    };
    expect(await first("agent=b")).toBe("thr_2");
    expect(await first("thread=thr_2")).toBe("thr_2");
    expect(await first("run=night")).toBe("thr_2");
    const ended = openStream(`${hub.url}/api/events?afterEvent=0&status=cancelled`);
    await hub.ask("POST /api/threads/thr_2/cancel", { agent: "lead" });
    const stream = await ended;
    expect((await stream.next()).data.threadId).toBe("thr_2");
    stream.close();
    expect((await openStream(`${hub.url}/api/events?status=odd`)).status).toBe(400);
    const odd = await openStream(`${hub.url}/api/events`, { "last-event-id": "odd" });
    expect(odd.status).toBe(400);
  });

  test("[W6] ends when its time is over", async () => {
    await using hub = await hubHere();
    await (await openStream(`${hub.url}/api/events?timeoutSeconds=0.05`)).ended();
  });

  test("[W6] ends when the hub stops", async () => {
    await using hub = await hubHere();
    const stream = await openStream(`${hub.url}/api/events`);
    await Promise.all([stream.ended(), hub.stop()]);
  });
});

describe("our own client", () => {
  test("[W6] tells what had happened before the time was over, also where the stream comes too late", async () => {
    await using hub = await hubHere();
    for (const content of ["a", "b", "c"]) await post(hub.ask, content);
    const late = (signal: AbortSignal) =>
      new Promise<never>((_, refuse) => signal.addEventListener("abort", () => refuse(signal.reason)));
    const client = connect(hub.url, {
      fetch: (url, init) => (/\/api\/events\?/.test(url) ? late(init.signal!) : fetch(url, init)),
    });
    const told = [];
    for await (const { eventType } of client.follow({ afterEvent: 0, timeoutSeconds: 0.01 }))
      told.push(eventType);
    expect(told).toEqual(["agent.joined", "message.sent", "message.sent", "message.sent"]);
  });

  test("[W6] ends when the time is over also where something happens whenever it looks", async () => {
    await using hub = await hubHere();
    const client = connect(hub.url, {
      fetch: async (url, init) => {
        if (/\/api\/events\/wait/.test(url)) await post(hub.ask, "more");
        return fetch(url, init);
      },
    });
    const told = [];
    for (const timeoutSeconds of [0.01, 0])
      for await (const { eventType } of client.follow({ afterEvent: 1, timeoutSeconds })) {
        told.push(eventType);
        if (told.length > 50) throw new Error("it does not end");
      }
    expect(new Set(told)).toEqual(new Set(["message.sent"]));
  });
});

describe("Last-Event-ID", () => {
  test("[Y3] one before the events that are left is refused with where to go on", async () => {
    await using hub = await hubHere();
    for (let i = 0; i < 3; i++) await post(hub.ask, String(i));
    await hub.ask("PUT /api/retention/events", { count: 1, agent: "boss" });
    expect((await hub.ask("POST /api/gc")).status).toBe(200);
    const gone = await openStream(`${hub.url}/api/events`, { "last-event-id": "1" });
    expect(gone.status).toBe(410);
    const { json } = await hub.ask("GET /api/events/wait?afterEvent=1");
    expect(json.error.code).toBe("cursor_expired");
    const after = json.error.details.oldest_after;
    const stream = await openStream(`${hub.url}/api/events`, { "last-event-id": String(after) });
    expect(Number((await stream.next()).id)).toBeGreaterThan(after);
    stream.close();
  });

  test("[W6] resumes without a gap and without a repeat, however often the line is cut", async () => {
    await using hub = await hubHere();
    const total = 120;
    const writing = (async () => {
      for (let i = 0; i < total; i++) await post(hub.ask, String(i));
    })();
    const seen: number[] = [];
    while (seen.length < total) {
      const stream = await openStream(`${hub.url}/api/events`, { "last-event-id": String(seen.at(-1) ?? 0) });
      const part = Math.min(1 + (seen.length % 17), total - seen.length);
      seen.push(...ids(await stream.take(part)));
      stream.close();
    }
    await writing;
    expect(seen).toEqual(Array.from({ length: total }, (_, i) => seen[0]! + i));
  });

  test("[W6] goes before the query's cursor: a browser repeats its first address", async () => {
    await using hub = await hubHere();
    for (const content of ["a", "b", "c"]) await post(hub.ask, content);
    const stream = await openStream(`${hub.url}/api/events?afterEvent=0`, { "last-event-id": "2" });
    expect(ids(await stream.take(1))).toEqual([3]);
    stream.close();
  });

  test("[W6] a thread that the caller may not read is refused as events.watch refuses it, before there is a stream", async () => {
    await using hub = await hubHere({ auth: true });
    const inbox = openInbox(hub.db);
    const { token } = await inbox.call("tokens.create", { agent: "stranger", scope: "worker" });
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    await inbox.close();
    const stranger = hub.as(token);
    const refused = await stranger("GET /api/events?thread=thr_1");
    expect(refused).toMatchObject({ status: 403, json: { error: { code: "not_allowed" } } });
    const watched = await stranger("GET /api/events/wait?thread=thr_1&timeoutSeconds=0");
    expect(refused.json).toEqual(watched.json);
  });

  test("[W6] finds what matches behind more than a page of what does not", async () => {
    await using hub = await hubHere();
    for (let i = 0; i < 60; i++) await post(hub.ask, "x", "noise");
    await thread(hub.ask, "a");
    const stream = await openStream(`${hub.url}/api/events?thread=thr_1`, { "last-event-id": "0" });
    expect((await stream.next()).data).toMatchObject({ threadId: "thr_1", eventType: "thread.created" });
    stream.close();
  });
});

describe("readers", () => {
  test("[W6] many streams get the same", async () => {
    await using hub = await hubHere();
    const streams = await Promise.all(Array.from({ length: 50 }, () => openStream(`${hub.url}/api/events`)));
    for (let i = 0; i < 5; i++) await post(hub.ask, String(i));
    const got = await Promise.all(streams.map(async (stream) => ids(await stream.take(5))));
    for (const one of got) expect(one).toEqual(got[0]!);
    for (const stream of streams) stream.close();
  });

  test("[W4] [W6] one that goes away frees what it took", async () => {
    await using hub = await served();
    const taken = () => readdirSync(`/proc/${hub.pid}/fd`).length;
    await post(hub.ask, "x");
    const before = taken();
    for (let i = 0; i < 5; i++) {
      const streams = await Promise.all(
        Array.from({ length: 20 }, () => openStream(`${hub.url}/api/events?agent=nobody`)),
      );
      // One may go over the connection that the message took, and whoever supervises in there opens and closes a few.
      expect(taken()).toBeGreaterThan(before + 15);
      for (const stream of streams) stream.close();
      // What one client of this process keeps open for its next request is not of the streams.
      await until("the buffers of the gone streams are given up", () => taken() <= before + 5);
    }
  });

  test("[X4] open streams count as waits", async () => {
    await using hub = await hubHere({ limits: { waits: { all: 2, perToken: 2, perAddress: 2 } } });
    const streams = [];
    for (let i = 0; i < 3; i++) streams.push(await openStream(`${hub.url}/api/events`));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 429]);
    for (const stream of streams) stream.close();
  });

  test("[W6] [X4] a client that does not read blocks nobody, and gets all events once it reads again", async () => {
    await using hub = await hubHere();
    const frozen = await line(hub.url);
    frozen.socket.pause();
    frozen.send("GET /api/events?afterEvent=0 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const stream = await openStream(`${hub.url}/api/events`);
    const summary = "x".repeat(1000);
    for (let round = 0; round < 60; round++)
      await Promise.all(Array.from({ length: 50 }, () => thread(hub.ask, "w", "default", summary)));
    const sent = (await stream.take(3000)).at(-1)!;
    expect((await hub.ask("GET /healthz")).status).toBe(200);
    frozen.socket.resume();
    await frozen.until(new RegExp(`id: ${sent.id}\\n`));
    frozen.cut();
    stream.close();
  });
});
