/** Where the queue of a bus is, and which profiles are there. */
import { profilesFile } from "../paths.ts";
import { loadProfiles } from "../profiles/profiles-file.ts";

/** Which database it is, as far as the queue has to know. */
export interface Workplace {
  db: string;
  /** Sees to it that somebody supervises what is to run. */
  supervise(): Promise<void>;
  /** The environment of whoever calls; none where that is another process. */
  env?: Readonly<Record<string, string | undefined>>;
}

export const profilesAt = ({ db }: Pick<Workplace, "db">) => {
  const file = profilesFile(db, process.env);
  return { file, profiles: loadProfiles(file) };
};
