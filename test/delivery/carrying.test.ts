/** [G3] Mail carried by RabbitMQ while the broker is well: what lies there, who is told, and what is left afterwards. */
import { expect, test } from "bun:test";
import { busId } from "../../src/bus/outbox.ts";
import { parseInput } from "../../src/contract/operation.ts";
import { operationNamed } from "../../src/contract/operations/index.ts";
import { carriedTo, checkBroker } from "../../src/delivery/broker.ts";
import { parseBroker } from "../../src/delivery/rabbitmq/address.ts";
import { rabbitDelivery } from "../../src/delivery/rabbitmq/delivery.ts";
import { startRelay } from "../../src/delivery/relay.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { openEngine } from "../../src/engines/registry.ts";
import { mailboxReceive } from "../../src/waiting/mailbox-receive.ts";
import {
  broker,
  deafReader,
  deliverySuite,
  ids,
  makeQueue,
  send,
  sharedBroker,
  untilEmpty,
  untilRead,
  untilReturned,
  untilWaiting,
} from "../support/carried.ts";
import { freePort } from "../support/servers.ts";
import { soon, timed } from "../support/soon.ts";
import { startTap } from "../support/tap.ts";
import { until } from "../support/until.ts";

const agent = "w";

deliverySuite("carrying", (store) => {
  test("[G3] [W5] a pointer that another process published wakes a reader that hears nothing else; then outbox and queue are empty", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    const reader = bus.deaf(tap.url);
    const writer = bus.open();
    const received = reader.receive({ agent });
    await untilRead(at, bus);
    const id = await send(writer);
    expect(ids(await received)).toEqual([id]);
    await until("a pointer is acked", () => tap.said("ack") > 0);
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    await reader.close();
    await untilEmpty(at, bus);
    await tap.stop();
  });

  test("[G3] without a broker such a reader sleeps on: it was the pointer that woke it", async () => {
    await using bus = await store.start();
    const reader = deafReader(bus.location);
    const stop = new AbortController();
    let woken = false;
    const received = reader.receive({ agent }, stop.signal).finally(() => {
      woken = true;
    });
    await until("the reader sleeps", () => reader.asleep());
    await send(bus.open());
    await Bun.sleep(1000);
    expect(woken).toBe(false);
    stop.abort(new Error("enough"));
    await expect(received).rejects.toThrow("enough");
    await reader.close();
  });

  test("[G3] a pointer has the message and the agent, and is persistent; the queue is durable, dead-letters, and expires when unused", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const queue = await makeQueue(at, bus);
    const id = await send(bus.open());
    await untilWaiting(at, queue, 1);
    const args = { "x-dead-letter-exchange": bus.names.dead, "x-expires": 7 * 86_400_000 };
    const declare = (durable: boolean, more: object) =>
      at.channel((channel) => channel.queueDeclare({ queue, durable, arguments: more }));
    // The broker takes a second declaration only if it says the same.
    expect(await declare(true, args)).toMatchObject({ queue });
    const wrong = [
      () => declare(false, args),
      () => declare(true, {}),
      () => declare(true, { ...args, "x-expires": 1 }),
    ];
    for (const other of wrong) await expect(other()).rejects.toMatchObject({ code: "PRECONDITION_FAILED" });
    const pointer = await at.take(queue);
    expect(pointer).toMatchObject({ body: { id, agent }, durable: true, messageId: String(id) });
    expect(Object.keys(pointer!.body)).toEqual(["id", "agent"]);
    expect(pointer!.expiration).toBeUndefined();
  });

  test("[M5] [G3] a pointer expires with its message: nobody gets it, and it leaves the queue", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const queue = await makeQueue(at, bus);
    const writer = bus.open();
    const expiring = (ttlSeconds: number) =>
      writer.call("messages.send", { channel: agent, content: "x", sender: "lead", ttlSeconds });
    const { id } = await expiring(60);
    await untilWaiting(at, queue, 1);
    const { expiration } = (await at.take(queue))!;
    expect(Number(expiration)).toBeLessThanOrEqual(60_000);
    expect(Number(expiration)).toBeGreaterThan(30_000);
    await at.channel((channel) => channel.queuePurge({ queue }));
    await expiring(1);
    await untilWaiting(at, bus.names.dead, 1);
    await until("nothing lies in the queue", async () => (await at.queue(queue))?.waiting === 0);
    expect(ids(await writer.call("mailbox.check", { agent }))).toEqual([id]);
  });

  test("[M5] [G3] the broker accepts the longest time a message may live, and does not block on it", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const queue = await makeQueue(at, bus);
    const writer = bus.open();
    const long = { channel: agent, content: "x", sender: "lead", ttlSeconds: 10 * 365 * 86_400 };
    await writer.call("messages.send", long);
    await send(writer);
    await untilWaiting(at, queue, 2);
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
  });

  test("[B7] [G3] a message that is not a pointer of the agent goes to the broker's dead letters, and blocks nothing", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const reader = bus.deaf();
    const received = reader.receive({ agent });
    await untilRead(at, bus);
    const queue = bus.names.queue(agent);
    const writer = bus.open();
    const others = await send(writer, "other");
    const strange: [unknown, string?][] = [
      [Buffer.from("not JSON"), "application/json"],
      [Buffer.from("plain text"), "text/plain"],
      [Buffer.alloc(0)],
      [Buffer.from([0xff, 0xfe, 0]), "application/octet-stream"],
      [null],
      [7],
      ["7"],
      [[1, agent]],
      [{}],
      [{ agent }],
      [{ id: "1", agent }],
      [{ id: 1.5, agent }],
      [{ id: 1e300, agent }],
      [{ id: 2 ** 53, agent }],
      [{ id: 1 }],
      [{ id: others, agent: "other" }],
      [{ id: 1, agent: [agent] }],
    ];
    for (const [body, type] of strange) await at.publish(queue, body, type);
    await untilWaiting(at, bus.names.dead, strange.length);
    const id = await send(writer);
    expect(ids(await received)).toEqual([id]);
    await reader.close();
    await untilEmpty(at, bus);
    expect(ids(await writer.call("mailbox.check", { agent: "other" }))).toEqual([others]);
  });

  test("[B7] [G3] pointers to messages that are acked, dead, deleted or were never there are acked away, and so is one to another's mail once it is collected", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    const writer = bus.open();
    const [acked, deleted, dead, others] = [
      await send(writer),
      await send(writer),
      await send(writer),
      await send(writer, "other"),
    ];
    await writer.call("messages.ack", { id: acked, agent });
    await bus.query(`delete from messages where message_id = ${deleted}`);
    await bus.query(`update messages set dead_at = created_at, dead_reason = 'x' where message_id = ${dead}`);
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    const reader = bus.deaf(tap.url);
    const received = reader.receive({ agent });
    await untilRead(at, bus);
    const queue = bus.names.queue(agent);
    const stale = [acked, deleted, dead, 0, -1, 123_456, 2 ** 53 - 1];
    for (const id of stale) await at.publish(queue, { id, agent });
    await at.publish(queue, { id: others, agent });
    await until("all stale pointers are acked", () => tap.said("ack") >= stale.length);
    expect(ids(await writer.call("mailbox.check", { agent: "other" }))).toEqual([others]);
    await until("the new pointer is acked too", () => tap.said("ack") >= stale.length + 1);
    const id = await send(writer);
    expect(ids(await received)).toEqual([id]);
    await reader.close();
    await untilEmpty(at, bus);
    await tap.stop();
  });

  test("[B7] [G3] five thousand stale pointers are gone in seconds, and fresh mail does not wait for them", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    const queue = await makeQueue(at, bus);
    const count = 5000;
    await Promise.all(
      Array.from({ length: count }, (_, i) => at.publish(queue, { id: 1_000_000 + i, agent })),
    );
    const reader = bus.open({ delivery: tap.url });
    const first = reader.call("mailbox.receive", { agent });
    await untilRead(at, bus);
    const id = await send(bus.open());
    expect(ids(await first)).toEqual([id]);
    const second = reader.call("mailbox.receive", { agent });
    await until("all pointers are acked", () => tap.said("ack") >= count);
    await send(bus.open());
    await second;
    await reader.close();
    await untilEmpty(at, bus);
    await tap.stop();
  });

  test("[W1] [G3] a message that nobody waits for any more is not returned again and again", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    const reader = bus.open({ delivery: tap.url });
    const writer = bus.open();
    const received = reader.call("mailbox.receive", { agent });
    await untilRead(at, bus);
    await send(writer);
    await received;
    // Its reader is at work now; another message comes, and lies there until it asks again.
    await send(writer);
    await until(
      "nobody reads the queue any more",
      async () => (await at.queue(bus.names.queue(agent)))?.readers === 0,
    );
    expect(tap.said("deliver")).toBeLessThan(20);
    const again = await reader.call("mailbox.receive", { agent });
    expect(again.total).toBe(1);
    await tap.stop();
  });

  test("[W1] [G3] mail that a waiting reader does not want costs a reader next to nothing", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    const reader = bus.open({ delivery: tap.url });
    const stop = new AbortController();
    const waiting = reader.call("mailbox.receive", { agent, from: "nobody" }, { signal: stop.signal });
    await untilRead(at, bus);
    await send(bus.open());
    await until("a pointer is delivered", () => tap.said("deliver") > 0);
    const began = performance.now();
    await Bun.sleep(2500); // time is the subject: how often it comes again
    expect(tap.said("deliver")).toBeLessThan(4 * ((performance.now() - began) / 1000));
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await tap.stop();
  });

  test("[W1] [G3] … nor does the database hear of it all the time", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const engine = openEngine(bus.location);
    let reads = 0;
    const counted: Engine = {
      ...engine,
      read: (work) => {
        reads++;
        return engine.read(work);
      },
    };
    const tap = await startTap(sharedBroker);
    const carried = carriedTo(tap.url, counted, { brief: false });
    const stop = new AbortController();
    const wanted = parseInput(operationNamed("mailbox.receive"), { agent, from: "nobody" });
    const waiting = mailboxReceive(carried, wanted, { signal: stop.signal });
    await untilRead(at, bus);
    for (let i = 0; i < 5; i++) await send(bus.open());
    await until("all five pointers are delivered", () => tap.said("deliver") >= 5);
    await until("all five are given back", () => tap.said("nack") >= 5); // each was given back
    const before = reads;
    const began = performance.now();
    await Bun.sleep(3000); // time is the subject: how often it asks
    const cost = reads - before;
    const seconds = (performance.now() - began) / 1000;
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await carried.close();
    await tap.stop();
    // A second: one for each that comes again, and one for the outbox; and a few in doubt.
    expect(cost).toBeLessThan(7 + 6 * seconds);
  });

  test("[G3] what is left in the outbox is carried as soon as there is a carrier, by one of many processes that find it", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const queue = await makeQueue(at, bus);
    const brief = bus.open({ brief: true });
    const count = 600; // more than one batch
    for (let i = 0; i < count; i++) await send(brief);
    expect(await bus.outbox()).toHaveLength(count);
    const tap = await startTap(sharedBroker);
    const hour = 3_600_000;
    const sweepers = Array.from({ length: 4 }, () => {
      const engine = openEngine(bus.location, { now: () => Date.now() + 5000 });
      const delivery = rabbitDelivery(parseBroker(tap.url), () => engine.read(() => busId()));
      return { engine, delivery, relay: startRelay(engine, delivery, hour) };
    });
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    for (const { engine, delivery, relay } of sweepers) {
      await relay.close();
      await delivery.close();
      await engine.close();
    }
    expect(tap.said("publish")).toBe(count);
    expect((await at.queue(queue))?.waiting).toBe(count);
    await tap.stop();
  });

  test("[G3] of several hosts the next is tried if one is unreachable", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const { host } = new URL(sharedBroker);
    const several = sharedBroker.replace(host, `127.0.0.1:${freePort()},${host}`);
    const received = bus.deaf(several).receive({ agent });
    await untilRead(at, bus);
    const id = await send(bus.open({ delivery: several }));
    expect(ids(await received)).toEqual([id]);
    await until("doctor finds it well", async () => (await checkBroker(several)).status === "ok");
  });

  test("[W4] [G3] an aborted wait consumes nothing, and its pointer is given to another reader", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    const stop = new AbortController();
    const gone = bus.deaf(tap.url);
    const aborted = gone.receive({ agent, from: "nobody" }, stop.signal);
    await untilRead(at, bus);
    const writer = bus.open();
    const id = await send(writer);
    // It has the pointer in hand, and does not want it.
    await until("a pointer is delivered", () => tap.said("deliver") > 0);
    stop.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    expect(await writer.call("messages.status", { id })).toMatchObject({ status: "pending", handed: 0 });
    await untilReturned(at, bus);
    const next = bus.deaf();
    expect((await next.receive({ agent })).messages).toMatchObject([{ id, redelivered: false }]);
    await next.close();
    await untilEmpty(at, bus);
    await tap.stop();
  });

  test("[W4] [G3] of a wait that was aborted before the mail came the broker tells another", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const stop = new AbortController();
    const aborted = bus.deaf().receive({ agent }, stop.signal);
    await untilRead(at, bus);
    stop.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    // It still has a hand in it for a while.
    const tap = await startTap(sharedBroker);
    const received = bus.deaf(tap.url).receive({ agent });
    await until("the reader consumes, and sleeps", () => tap.said("consume") > 0 && bus.asleep());
    const id = await send(bus.open());
    expect(ids(await received)).toEqual([id]);
    await tap.stop();
  });

  test("[B1] [G3] a reader that waits for one sender does not keep other mail from another reader of the inbox", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const choosy = bus.open();
    const wanted = choosy.call("mailbox.receive", { agent, from: "x" });
    const reader = bus.open();
    const writer = bus.open();
    await untilRead(at, bus);
    for (let i = 0; i < 10; i++)
      await soon("mail is received", 3000, () =>
        timed(async () => {
          const id = await send(writer, agent, `m${i}`, "y");
          expect(ids(await reader.call("mailbox.receive", { agent }))).toEqual([id]);
        }),
      );
    const id = await send(writer, agent, "at last", "x");
    expect(ids(await wanted)).toEqual([id]);
  });

  test("[B1] [G3] … nor from one that is woken by the broker alone", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const stop = new AbortController();
    const choosy = bus.open().call("mailbox.receive", { agent, from: "x" }, { signal: stop.signal });
    const received = bus.deaf().receive({ agent });
    await untilRead(at, bus, agent, 2);
    const id = await send(bus.open(), agent, "m", "y");
    expect(ids(await received)).toEqual([id]);
    stop.abort(new Error("enough"));
    await expect(choosy).rejects.toThrow("enough");
  });

  test("[G3] a queue that is deleted under a waiting reader is created again", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const queue = bus.names.queue(agent);
    const reader = bus.deaf();
    const received = reader.receive({ agent });
    const choosy = new AbortController();
    const unwanted = reader.receive({ agent: "other", from: "nobody" }, choosy.signal);
    await untilRead(at, bus);
    await untilRead(at, bus, "other");
    const writer = bus.open();
    await send(writer, "other");
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    // One of them with a pointer in somebody's hand.
    for (const name of [queue, bus.names.queue("other")])
      await at.channel((channel) => channel.queueDelete({ queue: name }));
    await untilRead(at, bus);
    await untilRead(at, bus, "other");
    const id = await send(writer);
    expect(ids(await received)).toEqual([id]);
    choosy.abort(new Error("enough"));
    await expect(unwanted).rejects.toThrow("enough");
  });

  test("[G3] a queue is deleted while nobody waits: mail is kept, and the next reader is woken again", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const queue = await makeQueue(at, bus);
    const writer = bus.open();
    const [lost, reader] = [await send(writer), bus.deaf()];
    await untilWaiting(at, queue, 1);
    await at.channel((channel) => channel.queueDelete({ queue }));
    const unseen = await send(writer);
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    expect(ids(await reader.receive({ agent }))).toEqual([lost]);
    expect(ids(await reader.receive({ agent }))).toEqual([unseen]);
    const received = reader.receive({ agent });
    await untilRead(at, bus);
    const id = await send(writer);
    expect(ids(await received)).toEqual([id]);
  });

  test("[B7] [G3] a queue that another program has created with other settings disables the broker for its agent only", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const strange = { queue: bus.names.queue("bad"), durable: true };
    await at.channel((channel) => channel.queueDeclare(strange));
    const inbox = bus.open();
    const bad = inbox.call("mailbox.receive", { agent: "bad" });
    const reader = bus.deaf();
    const stop = new AbortController();
    const alsoBad = reader.receive({ agent: "bad" }, stop.signal);
    const received = reader.receive({ agent });
    await untilRead(at, bus);
    const id = await send(inbox);
    expect(ids(await received)).toEqual([id]);
    // Its own mail comes by the database.
    const other = await send(inbox, "bad");
    expect(ids(await bad)).toEqual([other]);
    stop.abort(new Error("enough"));
    await expect(alsoBad).rejects.toThrow("enough");
  });

  test("[W1] [G3] a wait that was over before the broker answered leaves no reader behind", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    const reader = bus.open({ delivery: tap.url });
    const elsewhere = reader.call("mailbox.receive", { agent: "elsewhere" });
    await untilRead(at, bus, "elsewhere");
    tap.freeze();
    await reader.call("mailbox.receive", { agent, timeoutSeconds: 0.001 });
    await Bun.sleep(2500); // so long does a reader stay, for one that comes soon
    tap.thaw();
    const queue = bus.names.queue(agent);
    await until("the queue is there", () => at.queue(queue));
    const delivered = tap.said("deliver");
    await send(bus.open());
    await until("the pointer lies in the queue, and nobody reads it", async () => {
      const { waiting, readers } = (await at.queue(queue))!;
      return waiting > 0 && readers === 0;
    });
    expect(tap.said("deliver") - delivered).toBeLessThan(20);
    await send(bus.open(), "elsewhere");
    await elsewhere;
    await tap.stop();
  });

  test("[B4] [G3] of many waits for the same mail in one process each gets one message, woken by the broker alone", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const reader = bus.deaf();
    const waiting = Array.from({ length: 8 }, () => reader.receive({ agent }));
    await untilRead(at, bus);
    const writer = bus.open();
    const sent = await Promise.all(waiting.map(() => send(writer)));
    const got = (await Promise.all(waiting)).flatMap(ids);
    expect(got.sort((a, b) => a - b)).toEqual(sent.sort((a, b) => a - b));
    await reader.close();
    await untilEmpty(at, bus);
  });

  test("[G3] replicated queues carry as well, under names of their own", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const replicated = `${sharedBroker}?queues=quorum`;
    const queue = bus.quorum.queue(agent);
    expect(queue).not.toBe(bus.names.queue(agent));
    const reader = bus.deaf(replicated);
    const received = reader.receive({ agent });
    await until(
      "somebody reads the queue, and sleeps",
      async () => (await at.queue(queue))?.readers === 1 && bus.asleep(),
    );
    const kind = {
      "x-queue-type": "quorum" as const,
      "x-dead-letter-exchange": bus.quorum.dead,
      "x-expires": 7 * 86_400_000,
    };
    await at.channel((channel) => channel.queueDeclare({ queue, durable: true, arguments: kind }));
    await at.publish(queue, { id: "strange" });
    await untilWaiting(at, bus.quorum.dead, 1);
    const writer = bus.open({ delivery: replicated });
    const sent = await writer.call("messages.send", {
      channel: agent,
      content: "x",
      sender: "lead",
      ttlSeconds: 60,
    });
    expect(ids(await received)).toEqual([sent.id]);
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    for (const name of [queue, bus.quorum.dead])
      await at.channel((channel) => channel.queueDelete({ queue: name }));
  });

  test("[G3] a wait that ends while the broker is still being connected does not wait for it", async () => {
    await using bus = await store.start();
    const tap = await startTap(sharedBroker, { silentFrom: "open" });
    await soon("it leaves", 1900, async () => {
      const before = tap.said("open");
      const inbox = bus.open({ delivery: tap.url });
      await until("a connection is opened", () => tap.said("open") > before);
      return timed(() => inbox.close());
    });
    await tap.stop();
  });

  test("[G3] two buses at one broker do not see each other's pointers", async () => {
    await using one = await store.start();
    await using two = await store.start();
    await using at = await broker();
    expect(one.names.queue(agent)).not.toBe(two.names.queue(agent));
    const tap = await startTap(sharedBroker);
    const here = one.deaf().receive({ agent });
    const there = two.deaf(tap.url).receive({ agent });
    await untilRead(at, one);
    await untilRead(at, two);
    const id = await send(one.open());
    expect(ids(await here)).toEqual([id]);
    await until("the outbox of the first bus is empty", async () => (await one.outbox()).length === 0);
    expect(tap.said("deliver")).toBe(0);
    expect(await two.open().call("mailbox.list", { agent })).toMatchObject({ total: 0 });
    await send(two.open());
    await there;
    await tap.stop();
  });

  test("[G3] every name an agent may have is one that its queue can bear", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const strange = [
      "with some spaces",
      "ünïcødé 漢字 🐝",
      "字".repeat(128),
      "🐝".repeat(128),
      "a".repeat(128),
      `"it's" \`quoted\``,
      "a.b.#.*.c",
      "#",
      "dead",
      "amq.gen",
      "a/b\\c%2F?x=1&y",
    ];
    const reader = bus.deaf();
    const all = strange.map((name) => reader.receive({ agent: name }));
    for (const name of strange) await untilRead(at, bus, name);
    const writer = bus.open();
    const sent = await Promise.all(strange.map((name) => send(writer, name, `to ${name}`)));
    expect((await Promise.all(all)).map(ids)).toEqual(sent.map((id) => [id]));
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    await reader.close();
    for (const name of strange) await untilEmpty(at, bus, name);
    expect(await at.queue(bus.names.dead)).toMatchObject({ waiting: 0 });
  });

  test("[G3] [B4] a lost connection is made again: all waits get mail through it, and nothing comes twice", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    const reader = bus.deaf(tap.url);
    const writer = bus.open({ delivery: tap.url });
    const agents = Array.from({ length: 10 }, (_, i) => `w${i}`);
    for (let round = 0; round < 3; round++) {
      const received = agents.map((name) => reader.receive({ agent: name }));
      for (const name of agents) await untilRead(at, bus, name);
      tap.cut();
      const sent = await Promise.all(agents.map((name) => send(writer, name)));
      expect((await Promise.all(received)).map(ids)).toEqual(sent.map((id) => [id]));
    }
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    await reader.close();
    for (const name of agents) await untilEmpty(at, bus, name);
    await tap.stop();
  });

  test("[G3] a broker that does not answer blocks neither writers nor readers, nor waits that end", async () => {
    await using at = await broker();
    /** How long a send takes, and how long until its message is read. */
    const times = async () => {
      await using bus = await store.start();
      const tap = await startTap(sharedBroker);
      const [reader, writer] = [bus.open({ delivery: tap.url }), bus.open({ delivery: tap.url })];
      const first = reader.call("mailbox.receive", { agent });
      await untilRead(at, bus);
      tap.freeze();
      let sent = 0;
      const sending = await timed(async () => {
        sent = await send(writer);
      });
      const reading = await timed(async () => expect(ids(await first)).toEqual([sent]));
      await Promise.all([reader.close(), writer.close()]);
      await tap.stop();
      return Math.max(sending, reading);
    };
    await soon("mail is sent and read", 4000, times);
  });
});
