/** What the agents of an attack do, each in a loop of its own until it is told to stop. */
import type { Fields, Surface } from "../check/history.ts";
import { desks, pool, sleepers, topics } from "./names.ts";
import type { Recorder } from "./recorder.ts";
import type { Client, Told } from "./surfaces.ts";
import { parent } from "./tasks.ts";

export interface Actor {
  /** Unique in the attack. */
  name: string;
  surface: Surface;
  client: Client;
  record: Recorder;
  random: () => number;
  restMs: number;
  stopped(): boolean;
}

export type Role =
  | "producer"
  | "consumer"
  | "worker"
  | "reader"
  | "cursor"
  | "follower"
  | "parent"
  | "caller"
  | "steady"
  | `sleeper-${number}`;

const roles: Record<string, (actor: Actor) => Promise<void>> = {
  producer,
  consumer,
  worker,
  reader,
  cursor,
  follower,
  parent,
  caller,
  steady,
  ...Object.fromEntries(sleepers.map((name) => [name, (actor: Actor) => sleeper(actor, name)])),
};

export const play = (role: Role, actor: Actor) => roles[role]!(actor);

export const pick = <T>({ random }: Actor, all: readonly T[]) => all[Math.floor(random() * all.length)]!;
const between = ({ random }: Actor, least: number, most: number) =>
  least + Math.floor(random() * (most - least + 1));
export const pause = (actor: Actor, ms: number) => Bun.sleep(actor.random() * ms);

/** Whoever met a fault does not run in circles meanwhile. */
export async function told(actor: Actor, op: string, input: Fields, key?: string): Promise<Told> {
  const answer = await actor.record.call(actor, op, input, { key });
  if (answer.outcome !== "ok") await Bun.sleep(20);
  if (actor.restMs) await Bun.sleep(actor.restMs);
  return answer;
}

/** With a key it is repeated until its outcome is known; without one it is tried once. */
async function write(actor: Actor, op: string, input: Fields, text: string): Promise<Told> {
  const key = actor.client.full && actor.random() < 0.5 ? `key ${text}` : undefined;
  for (let tries = 1; ; tries++) {
    const answer = await told(actor, op, input, key);
    const again = key !== undefined && (answer.outcome === "unknown" || actor.random() < 0.1);
    if (!again || tries === 4 || actor.stopped()) return answer;
  }
}

async function producer(actor: Actor): Promise<void> {
  for (let count = 1; !actor.stopped(); ) {
    // What comes together shares a transaction.
    const together = actor.random() < 0.3 ? 4 : 1;
    await Promise.all(Array.from({ length: together }, () => produce(actor, `${count++} of ${actor.name}`)));
    await pause(actor, 30);
  }
}

async function produce(actor: Actor, text: string): Promise<void> {
  const from = actor.name;
  const kind = actor.random();
  if (kind < 0.4) await write(actor, "mailbox.send", { from, to: pick(actor, desks), message: text }, text);
  else if (kind < 0.75)
    await write(actor, "messages.send", { channel: pick(actor, topics), content: text, sender: from }, text);
  else {
    const work = { from, to: pool, subject: "work", summary: text };
    // Models cannot say how often a thread may be tried.
    const more = actor.client.full ? { maxAttempts: 1000 } : {};
    await write(actor, "threads.send", { ...work, ...more }, text);
  }
}

async function consumer(actor: Actor): Promise<void> {
  while (!actor.stopped()) {
    const agent = pick(actor, desks);
    const kind = actor.random();
    const timeoutSeconds = pick(actor, [0, 0.3, 1, 2]);
    if (kind < 0.5)
      await told(actor, "mailbox.receive", { agent, max: between(actor, 1, 3), timeoutSeconds });
    else if (kind < 0.65) await told(actor, "mailbox.check", { agent, max: between(actor, 1, 5) });
    else if (kind < 0.8) await told(actor, "mailbox.wait", { agent, timeoutSeconds, batchWindow: 0.1 });
    else if (kind < 0.85 || !actor.client.full) {
      const from = [producerBefore(actor), "nobody"];
      await told(actor, "mailbox.gather", { agent, from, need: "any", timeoutSeconds });
    } else await byHand(actor, agent, timeoutSeconds);
  }
}

/** In every crew a consumer follows a producer. */
const producerBefore = ({ name }: Actor) =>
  name.replace(/^consumer-(.*)-(\d+)$/, (_, process, index) => `producer-${process}-${index - 1}`);

/** Takes mail and acks each message itself, or leaves it to somebody else. */
async function byHand(actor: Actor, agent: string, timeoutSeconds: number): Promise<void> {
  const asked = { agent, max: between(actor, 1, 3), timeoutSeconds, ack: "manual", visibilitySeconds: 1 };
  const { value } = await told(actor, "mailbox.receive", asked);
  for (const { id } of value?.messages ?? []) {
    if (actor.random() < 0.2) await pause(actor, 2000);
    if (actor.random() < 0.8) await told(actor, "messages.ack", { id, agent });
  }
}

async function worker(actor: Actor): Promise<void> {
  const agent = actor.name;
  while (!actor.stopped()) if ((await told(actor, "pools.join", { pool, agent })).outcome === "ok") break;
  for (let count = 0; !actor.stopped(); count++) {
    // Short leases lapse under a slow holder, so that others take over.
    const leaseSeconds = actor.random() < 0.4 ? 1 : 900;
    const { value } = await told(actor, "threads.claim", { agent, leaseSeconds });
    const thread: string | undefined = value?.thread?.threadId;
    if (thread === undefined) await pause(actor, 100);
    else await hold(actor, thread, value?.lease?.token, count);
  }
}

async function hold(actor: Actor, thread: string, token: string | undefined, count: number): Promise<void> {
  const agent = actor.name;
  const exact = actor.client.full && actor.random() < 0.5 ? { leaseToken: token } : {};
  const holder = { agent, thread, ...exact };
  for (let step = 0; step < 3; step++) {
    const kind = actor.random();
    if (kind < 0.2) await told(actor, "threads.renew", { ...holder, leaseSeconds: between(actor, 1, 3) });
    else if (kind < 0.5) {
      const summary = `progress ${count}.${step} of ${agent}`;
      await write(actor, "threads.update", { ...holder, status: "in_progress", summary }, summary);
    } else if (kind < 0.6) await Bun.sleep(1300);
    else if (kind < 0.65) return; // as if it had died
  }
  const kind = actor.random();
  if (kind < 0.15) await told(actor, "threads.release", holder);
  else {
    const op = kind < 0.25 ? "threads.fail" : "threads.done";
    const summary = `result ${count} of ${agent}`;
    await write(actor, op, { ...holder, summary }, summary);
  }
}

/** Reads with a position that the bus keeps. */
async function reader(actor: Actor): Promise<void> {
  const channel = pick(actor, topics);
  while (!actor.stopped()) {
    const limit = between(actor, 1, 8);
    const { value } = await told(actor, "messages.inbox", {
      channel,
      reader: actor.name,
      commit: true,
      limit,
    });
    if (!value?.messages?.length) await pause(actor, 300);
  }
}

/** Takes what it gives, of every kind: for a soak, in which nothing may pile up but what retention keeps. */
async function steady(actor: Actor): Promise<void> {
  const me = actor.name;
  const channel = pick(actor, topics);
  for (let count = 1; !actor.stopped(); count++) {
    const text = `${count} of ${me}`;
    await told(actor, "mailbox.send", { from: me, to: me, message: text });
    await told(actor, "mailbox.receive", { agent: me, max: 10, timeoutSeconds: 1 });
    await told(actor, "messages.send", { channel, content: text, sender: me });
    await told(actor, "messages.inbox", { channel, reader: me, commit: true, limit: 100 });
    await told(actor, "threads.send", { from: me, to: me, subject: "work", summary: text });
    const { value } = await told(actor, "threads.claim", { agent: me });
    const thread: string | undefined = value?.thread?.threadId;
    if (thread !== undefined) await told(actor, "threads.done", { agent: me, thread, summary: text });
  }
}

/** Reads with a position of its own. */
async function cursor(actor: Actor): Promise<void> {
  const channel = pick(actor, topics);
  let afterId = 0;
  while (!actor.stopped()) {
    const { outcome, value } = await told(actor, "messages.inbox", {
      channel,
      afterId,
      limit: between(actor, 1, 8),
    });
    const messages: { id: number }[] = outcome === "ok" ? value!.messages : [];
    afterId = messages.at(-1)?.id ?? afterId;
    if (!messages.length) await pause(actor, 300);
  }
}

async function follower(actor: Actor): Promise<void> {
  let afterEvent = 0;
  while (!actor.stopped()) {
    const limit = between(actor, 1, 50);
    const { outcome, value } = await told(actor, "events.watch", { afterEvent, limit, timeoutSeconds: 1 });
    if (outcome === "ok") afterEvent = value!.nextEventId;
  }
}

/** Waits for mail that nobody else gets. */
async function sleeper(actor: Actor, agent: string): Promise<void> {
  while (!actor.stopped()) await told(actor, "mailbox.receive", { agent, timeoutSeconds: 3 });
}

async function caller(actor: Actor): Promise<void> {
  for (let count = 1; !actor.stopped(); count++) {
    const text = `call ${count} of ${actor.name}`;
    await told(actor, "mailbox.send", { from: actor.name, to: pick(actor, sleepers), message: text });
    await pause(actor, 2000);
  }
}
