/** [S2] [X7] Creates a bus: one that this user has just created is trusted. */
import { createBus } from "../engines/registry.ts";
import { keepOutOfGit } from "../location/locate.ts";
import { trustBus } from "../location/trust.ts";

interface Created {
  created: boolean;
  /** The file that keeps it out of a repository, if it was written. */
  gitignore?: string;
}

/** `complain` is called if the user's trust cannot be recorded; the bus works nevertheless. */
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
