/** The role that hubs and agents get: it reads and writes rows, and can do nothing to the tables. */
import { expect, test } from "bun:test";
import postgres from "postgres";
import { parseAddress } from "../../src/engines/postgres/address.ts";
import { createPostgres, greet } from "../../src/engines/postgres/connect.ts";
import { Connection } from "../../src/engines/postgres/connection.ts";
import { migrations } from "../../src/engines/postgres/schema.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { addressFor, administrator, grant, temporarySchema } from "../support/postgres.ts";
import { postgresSuite } from "../support/postgres-suite.ts";

postgresSuite("roles", () => {
  test("[G1] the least-privileged role works on the bus, and cannot make, change, drop or see anything else", async () => {
    const place = await temporarySchema({ leastPrivilege: true });
    const { schema } = place;
    const inbox = openInbox(place.url);
    await inbox.call("mailbox.send", { from: "a", to: "b", message: "x" });
    expect((await inbox.call("mailbox.check", { agent: "b" })).messages).toHaveLength(1);
    await inbox.close();
    const role = postgres(addressFor("restante_app"), { max: 1, onnotice: () => {} });
    const forbidden = [
      `create table ${schema}.mine (x int)`,
      "create table public.mine (x int)",
      "create schema mine",
      "create role mine",
      `alter table ${schema}.messages add column x int`,
      `drop table ${schema}.messages`,
      `truncate ${schema}.messages`,
      `update ${schema}.bus set version = 0`,
      `create or replace function ${schema}.next_event() returns bigint language sql as 'select 1::bigint'`,
      "select pg_read_file('/etc/passwd')",
      "copy (select 1) to program 'id'",
      "select * from pg_authid",
      "alter system set fsync = off",
    ];
    const allowed: string[] = [];
    for (const text of forbidden)
      await role.unsafe(text).then(
        () => allowed.push(text),
        () => {},
      );
    await role.end();
    expect(allowed).toEqual([]);
    place[Symbol.dispose]();
  });

  test("[G1] tables that the owner makes later are for the other role as well; without the owner nothing is migrated", async () => {
    const schema = `test_roles_${process.pid}`;
    await grant(schema);
    const whole = `${addressFor("restante_owner")}?schema=${schema}`;
    await createPostgres(whole, migrations.slice(0, -1));
    await grant(schema);
    const address = parseAddress(`${addressFor("restante_app")}?schema=${schema}`);
    const connection = new Connection(address, address.urls[0]!);
    await expect(greet(connection, address)).rejects.toThrow(/must be owner|permission denied/);
    await connection.close();
    await createPostgres(whole);
    const inbox = openInbox(`${addressFor("restante_app")}?schema=${schema}&pool=2`);
    await inbox.call("mailbox.send", { from: "a", to: "b", message: "x" });
    await inbox.close();
    await administrator().unsafe(`drop schema ${schema} cascade`);
  });
});
