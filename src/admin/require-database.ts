/** Operations on a database are done where it is, not through a hub. */
import { InboxError } from "../contract/errors.ts";
import { isHub } from "../location/locate.ts";

export function requireDatabase(command: string, location: string, hint: string): void {
  if (!isHub(location)) return;
  throw new InboxError("invalid_input", `${command} works on a database, but ${location} is a hub`, { hint });
}
