/** Where the queue of a bus is, and which profiles are there. */
import { profilesFile } from "../paths.ts";
import { loadProfiles } from "../profiles/profiles-file.ts";

/** Which database it is, as far as the queue needs to know. */
export interface Workplace {
  db: string;
  /** Makes sure that released tasks have a supervisor. */
  supervise(): Promise<void>;
  /** The caller's environment; undefined if the caller is another process. */
  env?: Readonly<Record<string, string | undefined>>;
}

export const profilesAt = ({ db }: Pick<Workplace, "db">) => {
  const file = profilesFile(db, process.env);
  return { file, profiles: loadProfiles(file) };
};
