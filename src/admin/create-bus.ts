/** [S2] [X7] Makes a bus: what this user has just made is trusted from the start. */
import { createBus } from "../engines/registry.ts";
import { keepOutOfGit } from "../location/locate.ts";
import { trustBus } from "../location/trust.ts";

interface Created {
  created: boolean;
  /** The file that keeps it out of a repository, where it was written. */
  gitignore?: string;
}

/** `complain` is told where the user's trust cannot be recorded; the bus works all the same. */
export async function createOwnBus(location: string, complain?: (message: string) => void): Promise<Created> {
  const created = await createBus(location);
  if (!created) return { created };
  const gitignore = keepOutOfGit(location);
  try {
    trustBus(location, process.env);
  } catch (error) {
    complain?.(
      `your ownership of ${location} could not be recorded (${(error as Error).message}): to run sub-agents there, set INBOX_TRUST to its folder`,
    );
  }
  return { created, gitignore };
}
