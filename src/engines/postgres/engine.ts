/** One database for any number of programs and hubs, on any number of machines. */
import { InboxError } from "../../contract/errors.ts";
import { Refused } from "../../sql/procedure.ts";
import { agentTopic } from "../../sql/topics.ts";
import type { Engine, EngineOptions } from "../engine.ts";
import { parseAddress } from "./address.ts";
import { greet } from "./connect.ts";
import { isLost, isRace, translate } from "./errors.ts";
import { fateOf } from "./fate.ts";
import { openPool } from "./pool.ts";
import { openPresence } from "./presence.ts";
import { type Committed, read, Unsettled, write } from "./transaction.ts";
import { openWake } from "./wake.ts";

/** Deadlocks and the like end soon; a server that is away may stay so, and the caller should know. */
const raceAttempts = 20;
const lostAttempts = 3;

export function openPostgres(text: string, options: EngineOptions = {}): Engine {
  const address = parseAddress(text);
  const pool = openPool(address, (connection) => greet(connection, address));
  const wake = openWake(address, pool);
  const presence = openPresence(pool);

  /** Tries again what was undone for no fault of its own. */
  async function again<T>(attempt: () => Promise<T>): Promise<T> {
    for (let count = 1; ; count++) {
      try {
        return await attempt();
      } catch (error) {
        const limit = isRace(error) ? raceAttempts : isLost(error) ? lostAttempts : 0;
        if (error instanceof Unsettled || count >= limit) throw error;
        await Bun.sleep(Math.random() * 10 * count);
      }
    }
  }

  function finish<T>({ value, topics }: Committed<T>): T {
    wake.announce(topics);
    if (value instanceof Refused) throw value.error;
    return value;
  }

  return {
    async read(work) {
      try {
        const value = await again(() => pool.use((connection) => read(connection, address, work, options)));
        if (value instanceof Refused) throw value.error;
        return value;
      } catch (error) {
        throw translate(error, address.shown);
      }
    },

    async write(work, { repeatable = false } = {}) {
      const run = () => again(() => pool.use((connection) => write(connection, address, work, options)));
      for (;;) {
        try {
          return finish(await run());
        } catch (error) {
          if (!(error instanceof Unsettled)) throw translate(error, address.shown);
          if (repeatable) continue; // its key tells whether it was written
          const fate = await fateOf(error.trace, pool);
          if (fate === "committed") return finish(error.committed as Committed<never>);
          if (fate === "unknown") throw unsettled(address.shown, error);
        }
      }
    },

    subscribe: wake.subscribe,
    mail: (agent) => wake.subscribe([agentTopic(agent)]),
    attend: presence.attend,
    attending: presence.attending,

    async close() {
      await presence.close();
      await wake.close();
      await pool.close();
    },
  };
}

const unsettled = (shown: string, cause: unknown) =>
  new InboxError(
    "storage",
    `the connection to ${shown} broke while committing: whether it was written is not known`,
    {
      hint: "look before you repeat it; with an idempotency key a repeated write is done once",
      cause,
    },
  );
