/** Reads one state of a bus in any number of steps, on a separate connection. It blocks no other call. */
import { Refused, type Row, Several } from "../../sql/procedure.ts";
import type { Sql } from "../../sql/sql.ts";
import type { Engine, Work } from "../engine.ts";
import { Facts } from "../facts.ts";
import { parseAddress } from "./address.ts";
import { greet, reach } from "./connect.ts";
import { Connection, pooledSettings } from "./connection.ts";
import { contextOf, newlyShared } from "./context.ts";
import { translate } from "./errors.ts";

export type Snapshot = Pick<Engine, "read" | "close">;

const placeholder = (index: number) => `$${index}`;

export async function openSnapshot(text: string): Promise<Snapshot> {
  const address = parseAddress(text);
  const connection = await reach(
    address,
    (url) => new Connection(address, url),
    (made) => greet(made, address),
  ).catch((error) => Promise.reject(translate(error, address.shown)));

  async function drive<T>(work: Work<T>): Promise<T> {
    const shared = newlyShared();
    const noted = { topics: new Set<string>(), learnt: new Map<string, string>() };
    const procedure = work(contextOf(shared, noted, { facts: new Facts(), writes: false }));
    const answer = (statement: Sql) => {
      const { text: query, values } = statement.flatten(placeholder);
      const done = connection.watch();
      return connection.run(query, values).finally(done);
    };
    let step = procedure.next();
    while (!step.done) {
      const asked = step.value;
      const rows =
        asked instanceof Several ? await Promise.all(asked.statements.map(answer)) : await answer(asked);
      step = procedure.next(rows as Row[]);
    }
    if (step.value instanceof Refused) throw step.value.error;
    return step.value;
  }

  try {
    await connection.run("begin isolation level repeatable read, read only");
    if (address.pooled) await connection.script(pooledSettings(address));
    // Between two steps the caller writes elsewhere, which may take any time.
    await connection.script("set local idle_in_transaction_session_timeout = 0");
    // The first statement after these takes the snapshot.
    await connection.run("select 1 as here from bus");
  } catch (error) {
    await connection.close();
    throw translate(error, address.shown);
  }
  return {
    read: (work) => drive(work).catch((error) => Promise.reject(translate(error, address.shown))),
    close: () => connection.close(),
  };
}
