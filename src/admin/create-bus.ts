/** [S2] [X7] Makes a bus: what this user has just made is trusted from the start. */
import { createBus } from "../engines/registry.ts";
import { keepOutOfGit } from "../location/locate.ts";
import { trustBus } from "../location/trust.ts";

/** True if there was none before. `complain` is told where it cannot be remembered; the bus works all the same. */
export async function createOwnBus(location: string, complain?: (message: string) => void): Promise<boolean> {
  const created = await createBus(location);
  if (!created) return false;
  keepOutOfGit(location);
  try {
    trustBus(location, process.env);
  } catch (error) {
    complain?.(
      `your ownership of ${location} could not be recorded (${(error as Error).message}): to run sub-agents there, set INBOX_TRUST to its folder`,
    );
  }
  return true;
}
