/** The address of a Postgres database: what is passed to the driver, and our own parameters. */
import { InboxError } from "../../contract/errors.ts";
import { withoutPassword } from "../../contract/secret.ts";

export interface Address {
  /** For the driver, without our own parameters: one per host, the one that was last used first. */
  urls: string[];
  /** Where the tables are. */
  schema: string;
  /** A pooler that assigns a connection per transaction, so that no state may be kept on one (`?pooler=transaction`). */
  pooled: boolean;
  /** The maximum number of connections of one process (`?pool=N`). */
  connections: number;
  /** For people: without the password. */
  shown: string;
}

const usualConnections = 10;

export function parseAddress(text: string): Address {
  // The driver accepts several hosts in one address (a:5432,b:5432), the URL standard does not: only the first is parsed,
  // and our parameters are removed from the text.
  const first = text.replace(/^(\w+:\/\/(?:[^/?]*@)?[^/?,]*)[^/?]*/, "$1");
  if (!URL.canParse(first) || /\s/.test(text)) throw wrong(withoutPassword(text), "it is not an address");
  if (/%(?![0-9a-f]{2})/i.test(text)) throw wrong(withoutPassword(text), "write a literal % as %25");
  const [address, query = ""] = text.split("?", 2) as [string, string?];
  const words = new URLSearchParams(query);
  const take = (name: string) => {
    const value = words.get(name);
    words.delete(name);
    return value ?? undefined;
  };
  const schema = take("schema") ?? "restante";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw wrong(withoutPassword(text), `schema=${schema} must be a plain lower-case name`);
  const pooler = take("pooler");
  if (pooler !== undefined && pooler !== "transaction")
    throw wrong(withoutPassword(text), `pooler=${pooler}: the only supported value is pooler=transaction`);
  const connections = Number(take("pool") ?? usualConnections);
  if (!Number.isInteger(connections) || connections < 1 || connections > 1000)
    throw wrong(withoutPassword(text), "pool must be a number from 1 to 1000");
  // Handled in connect.ts: the driver's own parameter mistakes a standby for a server that accepts writes.
  const attributes = take("target_session_attrs");
  if (attributes !== undefined && !["any", "read-write", "primary"].includes(attributes))
    throw wrong(
      withoutPassword(text),
      `target_session_attrs=${attributes}: a bus requires a writable server`,
    );
  const [, before, hosts, after] = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/.exec(address)!;
  const rest = words.size ? `?${words}` : "";
  const urls = hosts!.split(",").map((host) => `${before}${host}${after}${rest}`);
  return { urls, schema, pooled: pooler !== undefined, connections, shown: withoutPassword(text) };
}

const wrong = (address: string, why: string) =>
  new InboxError("invalid_input", `${address} cannot be used: ${why}`, {
    hint: "for example postgres://user:password@host:5432/database",
  });
