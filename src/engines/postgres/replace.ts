/** Putting one schema in the place of another, in one transaction. */
import { parseAddress } from "./address.ts";
import { reach } from "./connect.ts";
import { Connection } from "./connection.ts";
import { translate } from "./errors.ts";

/** The same address with another schema. */
export function withSchema(text: string, schema: string): string {
  const [address, query = ""] = text.split("?", 2) as [string, string?];
  const words = new URLSearchParams(query);
  words.set("schema", schema);
  return `${address}?${words}`;
}

export const schemaOf = (text: string): string => parseAddress(text).schema;

/** Renames the schema that `text` names to `kept`, and the schema `by` to its name. */
export function replaceSchema(text: string, by: string, kept: string): Promise<void> {
  const { schema } = parseAddress(text);
  return scripted(text, `begin; ${renamed(schema, kept)} ${renamed(by, schema)} commit;`);
}

export const dropSchema = (text: string, schema: string): Promise<void> =>
  scripted(text, `drop schema if exists "${schema}" cascade`);

/** The search path of functions contains the name of their schema, so it is changed too. */
const renamed = (from: string, to: string) => `
  alter schema "${from}" rename to "${to}";
  do $$
  declare called regprocedure;
  begin
    for called in select p.oid from pg_proc p where p.pronamespace = '"${to}"'::regnamespace and p.proconfig is not null loop
      execute format('alter function %s set search_path = %I', called, '${to}');
    end loop;
  end $$;`;

async function scripted(text: string, statements: string): Promise<void> {
  const address = parseAddress(text);
  let connection: Connection | undefined;
  try {
    connection = await reach(address, (url) => new Connection(address, url));
    const done = connection.watch();
    await connection.script(statements).finally(done);
  } catch (error) {
    throw translate(error, address.shown);
  } finally {
    await connection?.close();
  }
}
