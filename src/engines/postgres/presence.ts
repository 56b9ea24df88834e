/**
 * [B8] Which agents have an open wait, in any process: one row per process, renewed while it lives and stale after a
 * minute. It is written at most once a second, so that a busy mailbox is not slowed down.
 */
import type { Address } from "./address.ts";
import type { Pool } from "./pool.ts";

const pauseMs = 1000;
const renewMs = 20_000;

export function openPresence(pool: Pool, { schema }: Address) {
  const table = `"${schema}".presence`;
  const counts = new Map<string, number>();
  const process = crypto.randomUUID();
  let written = "";
  let due: Timer | undefined;
  let renewal: Timer | undefined;
  let quietUntil = 0;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    due = undefined;
    quietUntil = performance.now() + pauseMs;
    const agents = [...counts.keys()].sort();
    written = agents.join("\n");
    clearTimeout(renewal);
    if (agents.length) renewal = setTimeout(() => later(0), renewMs);
    try {
      await pool.use((connection) =>
        agents.length
          ? connection.run(
              `insert into ${table} as presence (process, agents, until) values ($1, $2::text[], clock_timestamp() + interval '60 seconds')
               on conflict (process) do update set agents = excluded.agents, until = excluded.until`,
              [process, arrayText(agents)],
            )
          : connection.run(`delete from ${table} where process = $1 or until < clock_timestamp()`, [process]),
      );
    } catch {
      // Presence is optional: a wait does not fail because of it.
      written = "?";
      if (agents.length) later(pauseMs);
    }
  }

  function later(ms = Math.max(0, quietUntil - performance.now())): void {
    due ??= setTimeout(() => {
      writing = write();
    }, ms);
  }

  function changed(): void {
    if ([...counts.keys()].sort().join("\n") !== written) later();
  }

  return {
    attend(agent: string): () => void {
      counts.set(agent, (counts.get(agent) ?? 0) + 1);
      changed();
      return () => {
        const left = counts.get(agent)! - 1;
        if (left > 0) return void counts.set(agent, left);
        counts.delete(agent);
        changed();
      };
    },

    async attending(): Promise<Set<string>> {
      const rows = await pool.use((connection) =>
        connection.run(
          `select distinct unnest(agents) as name from ${table} where until > clock_timestamp() and process <> 'life'`,
        ),
      );
      return new Set([...rows.map((row) => String(row.name)), ...counts.keys()]);
    },

    async close(): Promise<void> {
      clearTimeout(due);
      clearTimeout(renewal);
      await writing;
      counts.clear();
      if (written) await write();
      clearTimeout(renewal);
    },
  };
}

/** An array as Postgres reads it. */
const arrayText = (names: readonly string[]) =>
  `{${names.map((name) => `"${name.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
