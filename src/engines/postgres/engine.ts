/** One database for any number of programs and hubs, on any number of machines. */
import { InboxError } from "../../contract/errors.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { agentTopic } from "../../sql/topics.ts";
import type { Engine, EngineOptions, WriteOptions } from "../engine.ts";
import { Facts } from "../facts.ts";
import { parseAddress } from "./address.ts";
import { ParameterTypes } from "./combine.ts";
import { greet } from "./connect.ts";
import { translate } from "./errors.ts";
import { openGroup } from "./group.ts";
import { openPool } from "./pool.ts";
import { openPresence } from "./presence.ts";
import { type Ended, Unsettled } from "./running.ts";
import { migrations } from "./schema.ts";
import { openWake } from "./wake.ts";

/** One for writes, so that calls that arrive meanwhile share the next transaction. Reads block no other call. */
const writeLanes = 1;
const readLanes = 2;

/** Long enough for the calls of one command to share a connection. */
const frugalIdleMs = 250;

export function openPostgres(text: string, options: EngineOptions = {}): Engine {
  const asked = parseAddress(text);
  const address = options.frugal ? { ...asked, connections: 1 } : asked;
  const idleMs = options.frugal ? frugalIdleMs : undefined;
  const pool = openPool(address, (connection) => greet(connection, address), {
    idleMs,
    spare: options.spare,
  });
  const wake = openWake(address, pool);
  const presence = openPresence(pool, address);
  const facts = new Facts();
  const setting = { address, facts, options, types: new ParameterTypes() };
  const reads = openGroup(pool, setting, "read", readLanes);
  const writes = openGroup(pool, setting, "write", writeLanes);

  function answerOf<T>({ outcome }: Ended): T {
    const known = outcome!;
    if ("error" in known) throw translate(known.error, address.shown);
    return known.value as T;
  }

  const read: Engine["read"] = async (work) => {
    try {
      return answerOf(await reads(work));
    } catch (error) {
      throw translate(error, address.shown);
    }
  };

  return {
    read,

    async write(work, options) {
      let ended: Ended;
      try {
        ended = await writes(work, options as WriteOptions);
      } catch (error) {
        throw error instanceof Unsettled ? unsettled(address.shown, error) : translate(error, address.shown);
      }
      wake.announce(ended.topics);
      facts.learn(ended.learnt);
      return answerOf(ended);
    },

    subscribe: wake.subscribe,
    mail: (agent) => wake.subscribe([agentTopic(agent)]),
    asCaller: (work) => work,
    attend: presence.attend,
    attending: presence.attending,

    knownSchema: migrations.length,
    storedSchema: () =>
      read(function* () {
        return (yield* one<{ version: number }>(sql`select bus.version from bus`))!.version;
      }),

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
      hint: "check before you repeat it; with an idempotency key a repeated write is applied once",
      cause,
      details: { known: false },
    },
  );
