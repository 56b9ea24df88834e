/** One database for any number of programs and hubs, on any number of machines. */
import { InboxError } from "../../contract/errors.ts";
import { presumes } from "../../sql/plain.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { agentTopic } from "../../sql/topics.ts";
import type { Engine, EngineOptions, WriteOptions } from "../engine.ts";
import { Facts } from "../facts.ts";
import { parseAddress } from "./address.ts";
import { ParameterTypes } from "./combine.ts";
import { greet, refusedVersion } from "./connect.ts";
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
  // A command makes one call after another: a second connection would take it longer than waiting for the first.
  const address = options.frugal || options.brief ? { ...asked, connections: 1 } : asked;
  const idleMs = options.frugal ? frugalIdleMs : undefined;
  const pool = openPool(address, (connection) => greet(connection, address), {
    idleMs,
    spare: options.spare,
    brief: options.brief,
  });
  const wake = openWake(address, pool);
  const presence = openPresence(pool, address);
  const facts = new Facts();
  if (options.brief) facts.learn([[presumes, ""]]);
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
    brief: options.brief ?? false,
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
    async storedSchema() {
      try {
        return await read(function* () {
          return (yield* one<{ version: number }>(sql`select bus.version from bus`))!.version;
        });
      } catch (error) {
        // A new connection is refused then.
        const version = refusedVersion(error);
        if (version === undefined) throw error;
        return version;
      }
    },

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
