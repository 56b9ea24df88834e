/** [G4] A primary and its standby in one address, in any order. */
import { expect, test } from "bun:test";
import { createPostgres } from "../../src/engines/postgres/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { postgresSuite, times, within } from "../support/postgres-suite.ts";
import { refusal } from "../support/refusal.ts";
import { freePort, startPostgres, startStandby } from "../support/servers.ts";
import { stored } from "../support/stored-postgres.ts";
import { until } from "../support/until.ts";

postgresSuite("a standby", () => {
  test("[G4] a standby that is named first, or after a dead host, is skipped; alone it is refused; promoted it serves the same hub", async () => {
    await using primary = await startPostgres({ durable: false });
    await using standby = await startStandby(primary);
    const port = (url: string) => new URL(url).port;
    const at = (ports: unknown[], words = "") =>
      `postgres://postgres@${ports.map((one) => `127.0.0.1:${one}`).join(",")}/postgres${words}`;
    const hosts = [port(standby.url), port(primary.url)];
    expect(await createPostgres(at(hosts))).toBe(true);
    const addresses = [
      at(hosts),
      at(hosts, "?target_session_attrs=read-write"),
      at([freePort(), ...hosts], "?target_session_attrs=primary"),
    ];
    const inboxes = addresses.map((address) => openInbox(address));
    const send = (inbox: (typeof inboxes)[number]) =>
      inbox.call("mailbox.send", { from: "a", to: "b", message: "m" });
    for (const inbox of inboxes) await within(14, "writes", Promise.all(times(5, () => send(inbox))));

    const only = openInbox(at([freePort(), port(standby.url)]));
    const { code, message } = await within(14, "a refusal", refusal(send(only)));
    expect([code, message]).toEqual(["storage", expect.stringContaining("nothing was written")]);

    // What it has not heard when the primary dies it does not have, be it the tables themselves.
    await until(
      "the standby has all messages",
      async () => (await stored(standby.url, "select 1 from messages")).length === 15,
    );
    await primary.kill();
    await standby.promote();
    for (const inbox of [...inboxes, only])
      await until("a message is sent to the new primary", () => send(inbox).catch(() => undefined));
    for (const inbox of [...inboxes, only]) await inbox.close();
  });

  test("[G4] is never asked for: an address that wants one is refused", async () => {
    const error = await refusal(createPostgres("postgres://u:secret@h/db?target_session_attrs=standby"));
    expect(error.code).toBe("invalid_input");
    expect(error.message).not.toContain("secret");
  });
});
