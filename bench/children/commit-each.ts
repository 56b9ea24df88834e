/** `commit-each.ts DB`: the hub, but a call begins only when the one before it is answered, so that no two share a commit. */
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { usualLimits } from "../../src/surfaces/http/guard.ts";
import { startServer } from "../../src/surfaces/http/server.ts";

const db = process.argv[2]!;
createDatabase(db);
const inbox = openInbox(db);
let last: Promise<unknown> = Promise.resolve();
const hand: typeof inbox.hand = (...call) => {
  const next = last.then(() => inbox.hand(...call));
  last = next.catch(() => {});
  return next;
};
const options = { port: 0, hostname: "127.0.0.1", hosts: [], auth: false, limits: usualLimits, about: {} };
process.send!(startServer({ ...inbox, hand }, options).url);
