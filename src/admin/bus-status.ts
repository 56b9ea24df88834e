/** [N2] `inbox status`: the hubs of a bus that run on this machine. */
import type { OutputOf } from "../contract/operations/index.ts";
import { withoutPassword } from "../contract/secret.ts";
import { engineAt } from "../engines/registry.ts";
import type { Asked } from "../location/locate.ts";
import { hubsElsewhere, hubsHere, locateServed, stateOf } from "../service/hub-folder.ts";
import { requireDatabase } from "./require-database.ts";

export async function busStatus(asked: Asked): Promise<OutputOf<"bus.status">> {
  const location = locateServed(asked);
  requireDatabase("status", location, `${location}/healthz and /readyz say how that hub is`);
  const schema = engineAt(location).schemaVersion();
  const hubs = await Promise.all(hubsHere(location, asked.env).map((hub) => stateOf(hub, schema)));
  const elsewhere = hubsElsewhere(location, asked.env);
  return {
    ...{ db: withoutPassword(location), running: hubs.length > 0, hubs },
    ...(elsewhere.length > 0 && { elsewhere }),
  };
}
