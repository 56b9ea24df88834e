/** [N2] `inbox down`: ends the hub in the background, but none in the foreground, and none of another host. */
import type { OutputOf } from "../contract/operations/index.ts";
import { withoutPassword } from "../contract/secret.ts";
import type { Asked } from "../location/locate.ts";
import { alone, end, forget, notHere } from "../service/background.ts";
import { hubsElsewhere, hubsHere, locateServed, stateOf } from "../service/hub-folder.ts";
import { requireDatabase } from "./require-database.ts";

export async function busDown(asked: Asked): Promise<OutputOf<"bus.down">> {
  const location = locateServed(asked);
  requireDatabase("down", location, "run it where the hub runs");
  const place = { location, env: asked.env };
  return alone(place, async () => {
    const hubs = hubsHere(location, asked.env);
    const ours = hubs.filter(({ manager }) => manager !== "foreground");
    const stopped = await Promise.all(ours.map(stateOf));
    forget(place);
    const elsewhere = hubsElsewhere(location, asked.env);
    if (!hubs.length && elsewhere.length) throw notHere(elsewhere[0]!);
    const killed = await Promise.all(ours.map(end));
    hubsHere(location, asked.env); // removes what a killed hub left
    const left = await Promise.all(hubs.filter((hub) => !ours.includes(hub)).map(stateOf));
    return {
      ...{ db: withoutPassword(location), stopped, left, killed: killed.includes(true) },
      ...(elsewhere.length > 0 && { elsewhere }),
    };
  });
}
