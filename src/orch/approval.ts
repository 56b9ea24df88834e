/** [X7] Whether programs may be started for a bus, and by which profiles: decided by each process that would start one. */
import { InboxError } from "../contract/errors.ts";
import { call, field, phrase } from "../contract/phrase.ts";
import { shellWord } from "../contract/shell-word.ts";
import { trackedByGit } from "../git-index.ts";
import { isServer } from "../location.ts";
import { namedInTrust, readOwn } from "../own-files.ts";
import { areProfilesTrusted, isBusTrusted } from "../trust.ts";
import type { Environment } from "../user-folders.ts";
import { isUsersOwn, profilesFile } from "./place.ts";
import type { Profiles } from "./profile.ts";
import { profilesIn } from "./profiles.ts";

/** What SQLite reads into the database by itself. */
const logs = (db: string) => ["-wal", "-journal", "-shm"].map((end) => `${db}${end}`);

/** Why nothing may be started for this bus, whatever the profiles say. */
export function busRefusal(db: string, env: Environment): InboxError | undefined {
  if (!isBusTrusted(db, env))
    return refusal(db, "bus", `${db} was not made by you here, and you have not approved it`);
  if (isServer(db) || namedInTrust(db, env)) return undefined;
  const [tracked] = trackedByGit(logs(db));
  if (tracked === undefined) return undefined;
  return new InboxError(
    "not_allowed",
    `${tracked} is tracked by git: it can change what is in your database`,
    {
      hint: `git rm --cached ${shellWord(tracked)}, and look where it came from; no program is started until then`,
      details: { untrusted: "log" },
    },
  );
}

/** The profiles a program may be started by; throws where they are not approved, or hold a mistake. What was checked is what is used. */
export function approvedProfiles(db: string, env: Environment): Profiles {
  const file = profilesFile(db, env);
  const text = readOwn(file);
  if (text !== undefined && !isUsersOwn(file, env) && !areProfilesTrusted(file, text, env))
    throw refusal(db, "profiles", `${file} was made or changed since you last approved it`);
  return profilesIn(file, text);
}

/** Why no program may be started now. A mistake in the file is told by whoever needs it. */
export function refusalNow(db: string, env: Environment): InboxError | undefined {
  const refused = busRefusal(db, env);
  if (refused) return refused;
  try {
    approvedProfiles(db, env);
  } catch (error) {
    if (isUntrusted(error)) return error;
  }
  return undefined;
}

export function requireApproval(db: string, env: Environment = process.env): void {
  const refused = refusalNow(db, env);
  if (refused) throw refused;
}

export const isUntrusted = (error: unknown): error is InboxError =>
  error instanceof InboxError && error.details?.untrusted !== undefined;

const refusal = (db: string, what: "bus" | "profiles", why: string) =>
  new InboxError("not_allowed", `no program is started: ${why}`, {
    hint: phrase`${call("bus.trust", {}, { db })} shows what would be run and asks; with ${field("yes", undefined, "bus.trust")} it approves without asking`,
    details: { untrusted: what, db },
  });
