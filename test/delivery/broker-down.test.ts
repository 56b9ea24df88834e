/**
 * [G3] A broker that is hurt: away at the start, killed and started again under load, blocked by an alarm. The database
 * delivers meanwhile, nobody opens anything anew, and the broker is used again when it is back.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkBroker } from "../../src/delivery/broker.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import {
  type Broker,
  broker,
  brokerSuite,
  type CarriedBus,
  ids,
  makeQueue,
  send,
  startBuses,
  untilEmpty,
  untilRead,
  untilWaiting,
} from "../support/carried.ts";
import { type Rabbit, startRabbit } from "../support/servers.ts";
import { soon, timed } from "../support/soon.ts";
import { startTap } from "../support/tap.ts";
import { until } from "../support/until.ts";

const agent = "w";
const workers = Array.from({ length: 20 }, (_, i) => `w${i}`);

/** Mail for a reader that hears of it from the broker alone: the broker is in use. */
async function expectCarried(bus: CarriedBus, at: Broker, writer: Inbox, name = "listener"): Promise<void> {
  const reader = bus.deaf();
  const received = reader.receive({ agent: name });
  await untilRead(at, bus, name);
  const id = await send(writer, name);
  expect(ids(await received)).toEqual([id]);
  await reader.close();
}

brokerSuite("a broker that is hurt", () => {
  let rabbit: Rabbit;
  beforeAll(async () => {
    rabbit = await startRabbit();
  }, 180_000);
  afterAll(() => rabbit?.stop());

  test("[G3] queues and pointers outlive the broker's sudden end", async () => {
    await using buses = await startBuses(rabbit.url);
    await using at = await broker(rabbit.url);
    const count = 20;
    await buses.all(async (bus) => {
      const queue = await makeQueue(at, bus);
      const writer = bus.open();
      for (let i = 0; i < count; i++) await send(writer, agent, `m${i}`);
      await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
      await untilWaiting(at, queue, count);
    });
    const columns = ["name", "durable", "auto_delete", "consumers", "messages_persistent", "arguments"];
    const listed = rabbit.control("list_queues", ...columns).split("\n");
    const lying = await buses.all(async ({ names }) => {
      const row = listed.find((line) => line.startsWith(`${names.queue(agent)}\t`))!.split("\t");
      expect(row.slice(1, 4)).toEqual(["true", "false", "0"]);
      expect(row[5]).toContain(`{"x-dead-letter-exchange","${names.dead}"}`);
      expect(row[5]).toContain(`{"x-expires",${7 * 86_400_000}}`);
      expect(Number(row[4])).toBeGreaterThanOrEqual(count);
      return Number(row[4]);
    });
    await rabbit.kill();
    await rabbit.restart();
    const found = await buses.all((bus) =>
      until("the agent's queue is there", () => at.queue(bus.names.queue(agent))),
    );
    expect(found.map(({ waiting }) => waiting)).toEqual(lying);
    await buses.all(async (bus) => {
      const tap = await startTap(rabbit.url);
      const reader = bus.open({ delivery: tap.url });
      expect(await reader.call("mailbox.check", { agent })).toMatchObject({ total: count });
      // Who waits next gets all those pointers, and finds that they are of no use any more.
      const received = reader.call("mailbox.receive", { agent });
      await until("all pointers are acked", () => tap.said("ack") >= count);
      await send(reader);
      await received;
      await reader.close();
      await untilEmpty(at, bus);
      await tap.stop();
    });
  });

  test("[G3] [W1] a broker that is away at the start: everything works, and the outbox goes out when it is there", async () => {
    await rabbit.kill();
    await using buses = await startBuses(rabbit.url);
    const opened = await buses.all(async (bus) => {
      const [reader, writer] = [bus.open(), bus.open()];
      const first = await send(writer);
      expect(ids(await reader.call("mailbox.receive", { agent }))).toEqual([first]);
      const written = [first];
      await soon("mail wakes who waits", 5000, async () => {
        const received = reader.call("mailbox.receive", { agent });
        return timed(async () => {
          written.push(await send(writer));
          expect(ids(await received)).toEqual(written.slice(-1));
        });
      });
      written.push(await send(writer, "nobody yet"));
      expect(await bus.outbox()).toEqual(written);
      await soon("who leaves is gone", 5000, () => timed(() => bus.open().close()));
      return { reader, writer };
    });
    const waiting = opened.map(({ reader }) => reader.call("mailbox.receive", { agent }));
    await rabbit.restart();
    await using at = await broker(rabbit.url);
    await buses.all(async (bus) => {
      await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
      // Who waited through it all is read to by the broker now, and needed nothing anew.
      await untilRead(at, bus);
    });
    const sent = await Promise.all(opened.map(({ writer }) => send(writer)));
    expect((await Promise.all(waiting)).map(ids)).toEqual(sent.map((id) => [id]));
    await buses.all(async (bus) => expectCarried(bus, at, bus.open()));
  });

  test("[G3] [B4] the broker dies and comes back with twenty workers and their leader: nothing is lost, nothing comes twice, no call is blocked", async () => {
    await using buses = await startBuses(rabbit.url);
    await using at = await broker(rabbit.url);
    const stop = new AbortController();
    const loads = await buses.all(async (bus) => {
      const places = [bus.open(), bus.open()];
      const working = workers.map((name, i) => work(places[i % places.length]!, name, stop.signal));
      for (const name of workers) await untilRead(at, bus, name);
      return { leader: bus.open(), working };
    });
    const everywhere = (count: number) => Promise.all(loads.map(({ leader }) => exchange(leader, count)));
    await everywhere(3);
    const dying = everywhere(5);
    await rabbit.kill();
    await dying;
    await everywhere(3); // with no broker at all
    const reviving = everywhere(5);
    await rabbit.restart();
    await reviving;
    await buses.all(async (bus) => {
      for (const name of workers) await untilRead(at, bus, name);
    });
    await everywhere(3);
    await buses.all(async (bus) => {
      await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
      await expectCarried(bus, at, bus.open());
    });
    stop.abort(new Error("enough"));
    for (const { working } of loads) expect(await Promise.all(working)).toEqual(workers.map(() => 19));
    await buses.all(async (bus) => {
      const [left] = await bus.query<{ n: number }>(
        "select count(*) as n from messages where acked_at is null",
      );
      expect(Number(left!.n)).toBe(0);
      const events = await bus.query<{ payload_json: string }>(
        "select payload_json from events where event_type = 'messages.collected'",
      );
      const collected = events.flatMap(({ payload_json }) => JSON.parse(payload_json).messages as string[]);
      expect(collected).toHaveLength(19 * workers.length * 2 + 1);
      expect(new Set(collected).size).toBe(collected.length);
    });
  });

  test("[G3] [W1] while an alarm blocks the broker's writers no call waits for it; afterwards the outbox is sent", async () => {
    await using buses = await startBuses(rabbit.url);
    await using at = await broker(rabbit.url);
    const opened = await buses.all(async (bus) => {
      const [reader, writer] = [bus.open(), bus.open()];
      await expectCarried(bus, at, writer); // so that it is blocked as a writer
      const received = reader.call("mailbox.receive", { agent });
      await untilRead(at, bus);
      return { reader, writer, received };
    });
    rabbit.control("set_vm_memory_high_watermark", "0.00000001");
    try {
      const kept = await Promise.all(opened.map(({ writer }) => send(writer, "nobody yet")));
      for (const { reader, writer, received } of opened) {
        let waiting = received;
        await soon("mail is sent and received", 3000, () =>
          timed(async () => {
            const sent = [];
            for (let i = 0; i < 5; i++) sent.push(await send(writer, agent, `m${i}`));
            expect(ids(await waiting)).toEqual(sent.slice(0, 1));
            for (const id of sent.slice(1))
              expect(ids(await reader.call("mailbox.receive", { agent }))).toEqual([id]);
            waiting = reader.call("mailbox.receive", { agent });
            const id = await send(writer);
            expect(ids(await waiting)).toEqual([id]);
            waiting = reader.call("mailbox.receive", { agent });
          }),
        );
        const last = await send(writer);
        expect(ids(await waiting)).toEqual([last]);
      }
      const unsent = await buses.all((bus) => bus.outbox());
      expect(kept.map((id, i) => unsent[i]!.includes(id))).toEqual([true, true]);
    } finally {
      rabbit.control("set_vm_memory_high_watermark", "0.4");
    }
    await buses.all(async (bus) => {
      await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
      await expectCarried(bus, at, bus.open(), "another");
    });
  });

  test("[C8] [G3] doctor tells a broker that takes no messages from one that does", async () => {
    // It waits two seconds for an answer: a machine that stands still for as long makes it say something else.
    const found = (status: string, detail: string) =>
      until(`doctor finds that it ${detail}: ${status}`, async () => {
        const finding = await checkBroker(rabbit.url);
        return finding.name === "delivery" && finding.status === status && finding.detail.includes(detail);
      });
    await found("ok", "answers");
    rabbit.control("set_vm_memory_high_watermark", "0.00000001");
    try {
      await found("warn", "takes no messages");
    } finally {
      rabbit.control("set_vm_memory_high_watermark", "0.4");
    }
    const nobody = await checkBroker("amqp://127.0.0.1:1");
    expect([nobody.status, nobody.detail]).toEqual(["warn", expect.stringContaining("cannot be reached")]);
  });
});

/** Takes what comes and answers it, until it is stopped; answers with how many it was. */
async function work(inbox: Inbox, name: string, signal: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    try {
      const { messages } = await inbox.call("mailbox.receive", { agent: name }, { signal });
      for (const { message } of messages) {
        await send(inbox, "lead", message, name);
        count++;
      }
    } catch (error) {
      if (signal.aborted) return count;
      throw error;
    }
  }
}

let exchanges = 0;

/** So many messages to every worker, and every answer. */
async function exchange(leader: Inbox, count: number): Promise<void> {
  const round = exchanges++;
  const questions = workers.flatMap((name) =>
    Array.from({ length: count }, (_, i) => [name, `${round}.${name}.${i}`]),
  );
  const asking = Promise.all(questions.map(([name, text]) => send(leader, name, text)));
  const answers: string[] = [];
  while (answers.length < questions.length) {
    const { messages } = await leader.call("mailbox.receive", { agent: "lead", max: 100 });
    answers.push(...messages.map(({ senderId, message }) => `${senderId} ${message}`));
  }
  await asking;
  expect(answers.sort()).toEqual(questions.map(([name, text]) => `${name} ${text}`).sort());
}
