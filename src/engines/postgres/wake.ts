/**
 * Wake-ups between processes by LISTEN and NOTIFY, in one process by a call. NOTIFY comes after the commit and outside of
 * it (inside, commits would wait for each other), and carries numbers of topics, many in one. It is a hint: a writer may die before it,
 * a connection may break, a pooler may swallow it. So while somebody waits the events that have come are looked through
 * once a second, ten times where nothing is heard, and whom they concern is woken.
 */

import { sleep } from "../../platform/runtime.ts";
import { type Concerned, topicsOf } from "../../sql/topics.ts";
import type { Subscription } from "../engine.ts";
import { Listeners } from "../listeners.ts";
import { bell } from "../subscription.ts";
import type { Address } from "./address.ts";
import { reach } from "./connect.ts";
import { Connection } from "./connection.ts";
import { hashOf } from "./hash.ts";
import type { Pool } from "./pool.ts";

const checkMs = 1000;
const deafCheckMs = 100;
const againMs = 500;
/** After the last waiter has left somebody else may come soon. */
const lingerMs = 60_000;
/** A payload has less than 8,000 bytes; a topic takes eight characters. */
const topicsInOne = 800;
const eventsInOne = 5000;

export interface Wake {
  announce(topics: Set<string>): void;
  subscribe(topics: readonly string[]): Subscription;
  /** Whether notifications arrive; undefined as long as nobody has tried. */
  hears(): boolean | undefined;
  close(): Promise<void>;
}

/** A hint need not be durable: an fsync of its own would keep the next commit waiting. */
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
      // One's own were rung when they were made.
      if (sender !== self) waiting.ringCodes(text.split(","));
    },
    sayHello: () => tell("hello"),
    events,
  });
  let leaving: Timer | undefined;

  return {
    announce(topics) {
      for (const topic of topics) waiting.ring(topic);
      announcer.add(topics);
    },

    subscribe(topics) {
      const { subscription, ring: listener } = bell((which) => {
        for (const topic of topics) waiting.remove(topic, which);
        if (!waiting.size) leaving = setTimeout(ear.stop, lingerMs);
      });
      for (const topic of topics) waiting.add(topic, listener);
      clearTimeout(leaving);
      leaving = undefined;
      ear.start();
      return subscription;
    },

    hears: ear.hears,

    async close() {
      clearTimeout(leaving);
      ear.stop();
      await announcer.idle();
    },
  };
}

/** Who waits here, also by what a notification calls the topics. */
class Waiting extends Listeners {
  readonly #names = new Map<string, Set<string>>();

  override add(topic: string, listener: () => void): void {
    super.add(topic, listener);
    this.#names.set(codeOf(topic), (this.#names.get(codeOf(topic)) ?? new Set()).add(topic));
  }

  override remove(topic: string, listener: () => void): boolean {
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

/** Tells the other processes: one notification at a time, with all that has come meanwhile. */
function openAnnouncer(tell: (text: string) => Promise<unknown>) {
  let untold = new Set<string>();
  let telling: Promise<void> | undefined;

  async function tellAll(): Promise<void> {
    while (untold.size) {
      const codes = [...untold];
      untold = new Set(codes.slice(topicsInOne));
      try {
        await tell(codes.slice(0, topicsInOne).join(","));
      } catch {
        // A hint is lost; the others' look finds what it was about.
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
      while (telling) await telling;
    },
  };
}

type Events = ReturnType<typeof openEvents>;

/** The truth behind the hints. */
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

  /** Wakes those whom the events since the last look concern; everybody, the first time. */
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      await pool.use(ringConcerned);
    } catch {
      // The server is away: whoever calls is told so, and waiting goes on when it is back.
    } finally {
      looking = false;
    }
  }

  return {
    look,
    /** After a time without hearing: a look, or, if nobody has ever looked, everybody is woken. */
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

/** Listens for as long as anybody waits, and looks by itself: seldom where it hears, often where it is deaf. */
function openEar(options: EarOptions) {
  const { sayHello, events } = options;
  let listening: Connection | undefined;
  let heard: boolean | undefined;
  let timer: Timer | undefined;
  /** Counts the times that listening began; what belongs to an earlier one ends by itself. */
  let round = 0;

  /** A lost connection is made anew. */
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
        await proveHearing().catch(() => {}); // if the connection is lost, the next one is on its way
        return;
      } catch {
        listening = undefined;
        await connection?.close();
        await sleep(againMs);
      }
    }
  }

  /** A pooler in between takes LISTEN and passes nothing on. */
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
    /** Nothing if it listens already. */
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
    /** Its own hello has come back; late, where this process or the server stood still. */
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
