/** [U1.1] The hub that serves a bus, where the bus does not know of it because another process supervises its tasks. */
import type { OutputOf } from "../../contract/operations/index.ts";
import { isHub } from "../../location/locate.ts";
import { addressesHere } from "../../service/hub-folder.ts";

export function withHub(added: OutputOf<"workspaces.add">, location: string): OutputOf<"workspaces.add"> {
  const found = () =>
    isHub(location) ? location.replace(/\/$/, "") : addressesHere(location, process.env)[0];
  return { ...added, hubUrl: added.hubUrl ?? found() ?? null };
}
