/** Creating, opening and migrating the tables. */
import { InboxError } from "../../contract/errors.ts";
import { type Address, parseAddress } from "./address.ts";
import { Connection, ConnectionLost, pooledSettings } from "./connection.ts";
import { isLost, isMissing, isStandby, notInitialized, translate } from "./errors.ts";
import { lifeIn } from "./fate.ts";
import { migrations as ours } from "./schema.ts";

/** Creates the schema and the tables if they are missing. True if there were none before. */
export async function createPostgres(text: string, migrations: readonly string[] = ours): Promise<boolean> {
  const address = parseAddress(text);
  let connection: Connection | undefined;
  try {
    connection = await reach(address, (url) => new Connection(address, url));
    const done = connection.watch();
    return (await migrate(connection, address, migrations, true).finally(done)) === 0;
  } catch (error) {
    throw translate(error, address.shown);
  } finally {
    await connection?.close();
  }
}

/** Connects to the first reachable host; of several, to the first that accepts writes. `greet` is run first. */
export async function reach(
  { urls }: Address,
  open: (url: string) => Connection,
  greet: (connection: Connection) => Promise<unknown> = async () => {},
): Promise<Connection> {
  let failure: unknown;
  for (const url of [...urls]) {
    const connection = open(url);
    const done = connection.watch();
    try {
      if (urls.length > 1) await refuseStandby(connection);
      await greet(connection);
      // The next connection tries this host first, not the unreachable ones.
      urls.splice(0, urls.length, url, ...urls.filter((other) => other !== url));
      return connection;
    } catch (error) {
      void connection.close();
      if (!isLost(error)) throw error;
      failure ??= error;
    } finally {
      done();
    }
  }
  throw failure;
}

async function refuseStandby(connection: Connection): Promise<void> {
  const [row] = await connection.run("select case when pg_is_in_recovery() then 1 else 0 end as standby");
  if (row?.standby === 1) throw new ConnectionLost("it is a standby and does not accept writes");
}

/** Checks a new connection: that our tables exist, and that they have this version. */
export async function greet(
  connection: Connection,
  address: Address,
  migrations: readonly string[] = ours,
): Promise<void> {
  const met = await meet(connection, address);
  const version = met?.version ?? (await versionOf(connection, address));
  if (version === 0) throw notInitialized(address.shown);
  if (version > migrations.length) throw newer(address, version, migrations.length);
  if (version < migrations.length) await migrate(connection, address, migrations, false);
  connection.life = met?.life ?? (await lifeOf(connection, address));
}

interface Met {
  version: number;
  life?: string;
}

/**
 * The version of the tables and the id of this life of the server (fate.ts), in one round trip; undefined where there are no
 * tables, or older ones, or on a standby, which has no unlogged tables. Also notes the session.
 */
async function meet(connection: Connection, { schema }: Address): Promise<Met | undefined> {
  try {
    const [row] =
      await connection.run(`select bus.version, (${lifeIn(schema)}) as life, pg_backend_pid() as pid,
      (select extract(epoch from backend_start)::text from pg_stat_get_activity(pg_backend_pid())) as since
      from "${schema}".bus`);
    if (!row) return undefined;
    connection.session = { pid: row.pid as number, since: row.since as string };
    return { version: Number(row.version), ...(row.life !== null && { life: String(row.life) }) };
  } catch (error) {
    if (isMissing(error) || isStandby(error)) return undefined;
    throw error;
  }
}

/** The first to come in this life of the server gives it an id. Undefined on a standby. */
async function lifeOf(connection: Connection, address: Address): Promise<string | undefined> {
  try {
    await connection.run(
      `insert into "${address.schema}".presence (process, agents, until)
       values ('life', array[gen_random_uuid()::text], 'infinity') on conflict (process) do nothing`,
    );
  } catch (error) {
    if (isStandby(error)) return undefined;
    throw error;
  }
  return (await meet(connection, address))?.life;
}

/** 0 if there is no bus. */
async function versionOf(connection: Connection, { schema }: Address): Promise<number> {
  try {
    const [row] = await connection.run(`select version from "${schema}".bus`);
    return Number(row?.version ?? 0);
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** Migrates the tables in one transaction, and returns the version before. Concurrent processes wait for each other. */
async function migrate(
  connection: Connection,
  address: Address,
  migrations: readonly string[],
  create: boolean,
): Promise<number> {
  const before = await versionOf(connection, address);
  if (before > migrations.length) throw newer(address, before, migrations.length);
  if (before === migrations.length) return before;
  const { schema } = address;
  await connection.run("begin");
  try {
    if (address.pooled) await connection.script(pooledSettings(address));
    await connection.run("select pg_advisory_xact_lock(hashtext($1))", [`restante.${schema}`]);
    // Checked again, with a query that causes no error: an error would abort the transaction.
    const [table] = await connection.run("select to_regclass($1) is not null as here", [`"${schema}".bus`]);
    const there = table?.here ? await versionOf(connection, address) : 0;
    if (there === 0 && !create) throw notInitialized(address.shown);
    const [place] = await connection.run("select to_regnamespace($1) is not null as here", [`"${schema}"`]);
    // "if not exists" would require the right to create a schema even if it exists.
    if (there === 0 && !place?.here) await connection.run(`create schema "${schema}"`);
    for (const statements of migrations.slice(there)) await connection.script(statements);
    if (there < migrations.length) await connection.run(`update bus set version = ${migrations.length}`);
    await connection.run("commit");
    return there;
  } catch (error) {
    await connection.run("rollback").catch(() => {});
    throw error;
  }
}

const newer = ({ shown }: Address, found: number, known: number) =>
  new InboxError(
    "storage",
    `${shown} has schema version ${found}; this program knows ${known}: nothing was changed`,
    { hint: "install a newer inbox", details: { schema_version: found } },
  );

/** The version that the database has, if that is why there is no connection. */
export const refusedVersion = (error: unknown): number | undefined =>
  error instanceof InboxError ? (error.details?.schema_version as number | undefined) : undefined;
