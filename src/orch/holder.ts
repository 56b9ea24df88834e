/** [Q7] Which process supervises, so that others on its host see at once that it was killed. */
import type { HasDied } from "../bus/tasks/supervision.ts";
import { identityOf, lives } from "../platform/processes/processes.ts";
import { thisHost } from "./paths.ts";

/** Host and process, with what no name of a host has in between. */
export const thisProcess = () => `${thisHost()} ${identityOf(process.pid)}`;

/** Of another host's nothing is known but its lease. */
export const hasDied: HasDied = (holder) => {
  const [host, identity = ""] = holder.split(" ");
  return host === thisHost() && !lives(identity);
};
