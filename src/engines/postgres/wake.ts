/**
 * Wake-ups between processes by LISTEN and NOTIFY, and within a process by a call. NOTIFY is sent after the commit and
 * outside of it (inside, commits would wait for each other), and contains the hashes of many topics. It is only a hint: a
 * writer may die before it, a connection may break, a pooler may drop it. So while there are waiters, new events are
 * queried once a second (ten times a second if notifications do not arrive), and the waiters they concern are woken.
 */

import { sleep } from "../../platform/runtime.ts";
import { type Concerned, topicsOf } from "../../sql/topics.ts";
import type { Subscription } from "../engine.ts";
import { type Listener, Listeners } from "../listeners.ts";
import { Bell } from "../subscription.ts";
import type { Address } from "./address.ts";
import { reach } from "./connect.ts";
import { Connection } from "./connection.ts";
import { hashOf } from "./hash.ts";
import type { Pool } from "./pool.ts";

const checkMs = 1000;
const deafCheckMs = 100;
const againMs = 500;
/** How long to keep listening after the last waiter has left: another one may come soon. */
const lingerMs = 60_000;
/** A payload has less than 8,000 bytes; a topic takes eight characters. */
const topicsInOne = 800;
/** The least time between two notifications of a process, a fraction of what a wake-up takes. */
const announceMs = 1;
const eventsInOne = 5000;

export interface Wake {
  announce(topics: Set<string>): void;
  subscribe(topics: readonly string[]): Subscription;
  /** Whether notifications arrive; undefined until that was tested. */
  hears(): boolean | undefined;
  close(): Promise<void>;
}

/** A hint need not be durable: its own fsync would delay the next commit. */
const notification = "select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";

const codeOf = (topic: string) => hashOf(topic).toString(36);

export function openWake(address: Address, pool: Pool): Wake {
  const channel = `restante_${address.schema}`;
  const self = crypto.randomUUID();
  const waiting = new Waiting();
  const tell = (text: string) =>
    pool.use((connection) => connection.run(notification, [channel, `${self}:${text}`]));
  const announcer = openAnnouncer(tell);
  const events = openEvents(pool, address.schema, waiting);
  const ear = openEar({
    address,
    channel,
    onNotify(payload) {
      const [sender, text = ""] = payload.split(":", 2);
      if (text === "hello" && sender === self) ear.prove();
      // Notifications of this process have already woken its waiters.
      if (sender !== self) waiting.ringCodes(text.split(","));
    },
    sayHello: () => tell("hello"),
    events,
  });
  let leaving: Timer | undefined;

  const source = {
    leave(bell: Bell) {
      for (const topic of bell.topics) waiting.remove(topic, bell);
      if (!waiting.size) leaving = setTimeout(ear.stop, lingerMs);
    },
  };

  return {
    announce(topics) {
      for (const topic of topics) waiting.ring(topic);
      announcer.add(topics);
    },

    subscribe(topics) {
      const bell = new Bell(source, topics);
      for (const topic of topics) waiting.add(topic, bell);
      clearTimeout(leaving);
      leaving = undefined;
      ear.start();
      return bell;
    },

    hears: ear.hears,

    async close() {
      clearTimeout(leaving);
      ear.stop();
      await announcer.idle();
    },
  };
}

/** The waiters of this process, also by the hashes of topics that notifications contain. */
class Waiting extends Listeners {
  readonly #names = new Map<string, Set<string>>();

  override add(topic: string, listener: Listener): void {
    super.add(topic, listener);
    this.#names.set(codeOf(topic), (this.#names.get(codeOf(topic)) ?? new Set()).add(topic));
  }

  override remove(topic: string, listener: Listener): boolean {
    if (!super.remove(topic, listener)) return false;
    const code = codeOf(topic);
    this.#names.get(code)?.delete(topic);
    if (!this.#names.get(code)?.size) this.#names.delete(code);
    return true;
  }

  ringCodes(codes: readonly string[]): void {
    for (const code of codes) for (const topic of this.#names.get(code) ?? []) this.ring(topic);
  }
}

/**
 * Notifies the other processes: one notification at a time, with all topics since the one before. The first is sent at once,
 * and one that follows it closely waits: a process that writes without a pause would send as many notifications as writes.
 */
function openAnnouncer(tell: (text: string) => Promise<unknown>) {
  let untold = new Set<string>();
  let telling: Promise<void> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let closing = false;

  async function tellAll(): Promise<void> {
    while (untold.size) {
      const restMs = lastAt + announceMs - performance.now();
      if (restMs > 0 && !closing) await sleep(restMs);
      lastAt = performance.now();
      const codes = [...untold];
      untold = new Set(codes.slice(topicsInOne));
      try {
        await tell(codes.slice(0, topicsInOne).join(","));
      } catch {
        // The hint is lost; the other processes find the events by their query.
      }
    }
    telling = undefined;
  }

  return {
    add(topics: Set<string>): void {
      if (!topics.size) return;
      for (const topic of topics) untold.add(codeOf(topic));
      telling ??= Promise.resolve().then(tellAll);
    },
    async idle(): Promise<void> {
      closing = true;
      while (telling) await telling;
    },
  };
}

type Events = ReturnType<typeof openEvents>;

/** Queries the events themselves, because notifications may be lost. */
function openEvents(pool: Pool, schema: string, waiting: Listeners) {
  let looking = false;
  let seen: number | undefined;

  async function ringConcerned(connection: Connection): Promise<void> {
    const in_ = `"${schema}"`;
    const [row] = await connection.run(`select ${in_}.settled_event() as last`);
    const last = Number(row!.last);
    const from = seen;
    seen = Math.max(last, from ?? 0);
    if (from === undefined) return waiting.ringAll();
    if (last <= from) return;
    const rows = await connection.run(
      `select events.event_type, events.source, events.thread_id, events.to_agent, events.assigned_to, threads.addressed_to
       from ${in_}.events left join ${in_}.threads on threads.thread_id = events.thread_id
       where events.event_id > $1 and events.event_id <= $2 limit ${eventsInOne}`,
      [from, last],
    );
    if (rows.length === eventsInOne) return waiting.ringAll();
    for (const topic of new Set(rows.flatMap((event) => topicsOf(event as unknown as Concerned))))
      waiting.ring(topic);
  }

  /** Wakes the waiters that the events since the last query concern; the first time, all waiters. */
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      await pool.use(ringConcerned);
    } catch {
      // The server is unreachable: calls report that, and waits continue when it is back.
    } finally {
      looking = false;
    }
  }

  return {
    look,
    /** After a time without notifications: queries the events, or, if that was never done, wakes all waiters. */
    catchUp: async () => (seen === undefined ? waiting.ringAll() : look()),
    forget(): void {
      seen = undefined;
    },
  };
}

interface EarOptions {
  address: Address;
  channel: string;
  onNotify(payload: string): void;
  sayHello(): Promise<unknown>;
  events: Events;
}

/** Listens while there are waiters, and queries the events: once a second if notifications arrive, more often if not. */
function openEar(options: EarOptions) {
  const { sayHello, events } = options;
  let listening: Connection | undefined;
  let heard: boolean | undefined;
  let timer: Timer | undefined;
  /** How often listening was started; work of an earlier round ends by itself. */
  let round = 0;

  /** A lost connection is replaced. */
  async function listen(mine: number): Promise<void> {
    while (mine === round) {
      const lost = (which: Connection) => {
        if (listening !== which) return;
        listening = undefined;
        setTimeout(() => void listen(mine), 0);
      };
      let connection: Connection | undefined;
      try {
        connection = await connect(options, lost);
        if (connection.lost) throw connection.lost;
        if (mine !== round) return void connection.close();
        listening = connection;
        await events.catchUp();
        await proveHearing().catch(() => {}); // if the connection is lost, another one is being opened
        return;
      } catch {
        listening = undefined;
        await connection?.close();
        await sleep(againMs);
      }
    }
  }

  /** A pooler in between accepts LISTEN and forwards no notifications. */
  async function proveHearing(): Promise<void> {
    heard = undefined;
    await sayHello();
    setTimeout(() => {
      heard ??= false;
      if (!heard && timer) pace();
    }, checkMs);
  }

  function pace(): void {
    clearInterval(timer);
    timer = setInterval(() => void events.look(), heard === false ? deafCheckMs : checkMs);
  }

  return {
    /** Does nothing if it already listens. */
    start(): void {
      if (timer) return;
      round++;
      pace();
      void listen(round);
    },
    stop(): void {
      round++;
      clearInterval(timer);
      timer = undefined;
      events.forget();
      const connection = listening;
      listening = undefined;
      void connection?.close();
    },
    /** Its own hello was received; late, if this process or the server was suspended. */
    prove(): void {
      const wasDeaf = heard === false;
      heard = true;
      if (wasDeaf && timer) pace();
    },
    hears: () => heard,
  };
}

const connect = ({ address, channel, onNotify }: EarOptions, lost: (which: Connection) => void) =>
  reach(
    address,
    (url) =>
      new Connection(address, url, lost, (from, payload) => {
        if (from === channel) onNotify(payload);
      }),
    (made) => made.run(`listen "${channel}"`),
  );
