/**
 * Wake-ups between processes by LISTEN and NOTIFY, in one process by a call. NOTIFY comes after the commit and outside of
 * it (inside, commits would wait for each other), and carries numbers of topics, many in one. It is a hint: a writer may die before it,
 * a connection may break, a pooler may swallow it. So while somebody waits the events that have come are looked through
 * once a second, ten times where nothing is heard, and whom they concern is woken.
 */
import { type Concerned, topicsOf } from "../../sql/topics.ts";
import type { Subscription } from "../engine.ts";
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

const codeOf = (topic: string) => hashOf(topic).toString(36);

export function openWake(address: Address, pool: Pool): Wake {
  const channel = `restante_${address.schema}`;
  const self = crypto.randomUUID();
  const listeners = new Map<string, Set<() => void>>();
  /** The topics that somebody waits on, by what a notification calls them. */
  const names = new Map<string, Set<string>>();
  let listening: Connection | undefined;
  let heard: boolean | undefined;
  let timer: Timer | undefined;
  let checking = false;
  let checked: number | undefined;
  let untold = new Set<string>();
  let telling: Promise<void> | undefined;
  /** Counts the times that listening began; what belongs to an earlier one ends by itself. */
  let round = 0;
  let leaving: Timer | undefined;

  const ring = (topic: string) => {
    for (const listener of listeners.get(topic) ?? []) listener();
  };
  const ringAll = () => {
    for (const topic of listeners.keys()) ring(topic);
  };

  function onNotify(from: string, payload: string): void {
    const [sender, text = ""] = payload.split(":", 2);
    if (from !== channel) return;
    if (text === "hello" && sender === self) heard = true;
    // One's own were rung when they were made.
    if (sender === self) return;
    for (const code of text.split(",")) for (const topic of names.get(code) ?? []) ring(topic);
  }

  /** Listens for as long as anybody waits; a lost connection is made anew. */
  async function listen(mine: number): Promise<void> {
    while (mine === round) {
      const lost = (which: Connection) => {
        if (listening !== which) return;
        listening = undefined;
        setTimeout(() => void listen(mine), 0);
      };
      let connection: Connection | undefined;
      try {
        connection = await reach(
          address,
          (url) => new Connection(address, url, lost, onNotify),
          (made) => made.run(`listen "${channel}"`),
        );
        if (connection.lost) throw connection.lost;
        if (mine !== round) return void connection.close();
        listening = connection;
        // Whatever came before is found by a look: of everybody the first time, else of those whom events concern.
        if (checked === undefined) ringAll();
        else await check();
        await proveHearing().catch(() => {}); // if the connection is lost, the next one is on its way
        return;
      } catch {
        listening = undefined;
        await connection?.close();
        await Bun.sleep(againMs);
      }
    }
  }

  /** A pooler in between takes LISTEN and passes nothing on. */
  async function proveHearing(): Promise<void> {
    heard = undefined;
    await tell(`${self}:hello`);
    setTimeout(() => {
      heard ??= false;
      if (!heard && timer) pace();
    }, checkMs);
  }

  function pace(): void {
    clearInterval(timer);
    timer = setInterval(() => void check(), heard === false ? deafCheckMs : checkMs);
  }

  /** The truth behind the hints: the events since the last look. */
  async function check(): Promise<void> {
    if (checking) return;
    checking = true;
    try {
      await pool.use(async (connection) => {
        const in_ = `"${address.schema}"`;
        const [row] = await connection.run(`select ${in_}.settled_event() as last`);
        const last = Number(row!.last);
        const from = checked;
        checked = Math.max(last, from ?? 0);
        if (from === undefined) return ringAll();
        if (last <= from) return;
        const rows = await connection.run(
          `select events.event_type, events.source, events.thread_id, events.to_agent, events.assigned_to, threads.addressed_to
           from ${in_}.events left join ${in_}.threads on threads.thread_id = events.thread_id
           where events.event_id > $1 and events.event_id <= $2 limit ${eventsInOne}`,
          [from, last],
        );
        if (rows.length === eventsInOne) return ringAll();
        for (const topic of new Set(rows.flatMap((event) => topicsOf(event as unknown as Concerned))))
          ring(topic);
      });
    } catch {
      // The server is away: whoever calls is told so, and waiting goes on when it is back.
    } finally {
      checking = false;
    }
  }

  const tell = (payload: string) =>
    pool.use((connection) => connection.run("select pg_notify($1, $2)", [channel, payload]));

  async function tellAll(): Promise<void> {
    while (untold.size) {
      const codes = [...untold];
      untold = new Set(codes.slice(topicsInOne));
      try {
        await tell(`${self}:${codes.slice(0, topicsInOne).join(",")}`);
      } catch {
        // A hint is lost; the others' look finds what it was about.
      }
    }
    telling = undefined;
  }

  function start(): void {
    round++;
    pace();
    void listen(round);
  }

  function stop(): void {
    round++;
    clearInterval(timer);
    timer = undefined;
    checked = undefined;
    const connection = listening;
    listening = undefined;
    void connection?.close();
  }

  return {
    announce(topics) {
      if (!topics.size) return;
      for (const topic of topics) {
        ring(topic);
        untold.add(codeOf(topic));
      }
      telling ??= Promise.resolve().then(tellAll);
    },

    subscribe(topics) {
      const { subscription, ring: listener } = bell((which) => {
        for (const topic of topics) {
          const same = listeners.get(topic);
          same?.delete(which);
          if (same?.size !== 0) continue;
          listeners.delete(topic);
          const code = codeOf(topic);
          names.get(code)?.delete(topic);
          if (!names.get(code)?.size) names.delete(code);
        }
        if (!listeners.size) leaving = setTimeout(stop, lingerMs);
      });
      for (const topic of topics) {
        listeners.set(topic, (listeners.get(topic) ?? new Set()).add(listener));
        names.set(codeOf(topic), (names.get(codeOf(topic)) ?? new Set()).add(topic));
      }
      clearTimeout(leaving);
      leaving = undefined;
      if (!timer) start();
      return subscription;
    },

    hears: () => heard,

    async close() {
      clearTimeout(leaving);
      stop();
      while (telling) await telling;
    },
  };
}
