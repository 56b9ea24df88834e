/** [X7] Whether programs may be started for a bus, and with which profiles: checked by each process that would start one. */
import { InboxError } from "../contract/errors.ts";
import { call, field, phrase } from "../contract/phrase.ts";
import { shellWord } from "../contract/shell-word.ts";
import { engineAt } from "../engines/registry.ts";
import { areProfilesTrusted, isBusTrusted } from "../location/trust.ts";
import { trackedByGit } from "../platform/git-index.ts";
import { namedInTrust, readOwn } from "../platform/own-files.ts";
import type { Environment } from "../platform/user-folders.ts";
import { isUsersOwn, profilesFile } from "./paths.ts";
import type { Profiles } from "./profiles/profile.ts";
import { profilesIn } from "./profiles/profiles-file.ts";

/** Why nothing may be started for this bus, whatever the profiles say. */
export function busRefusal(db: string, env: Environment): InboxError | undefined {
  if (!isBusTrusted(db, env)) return refusal(db, "bus", `${db} is not approved to start programs`);
  if (namedInTrust(db, env)) return undefined;
  const [tracked] = trackedByGit(engineAt(db).sideFiles(db));
  if (tracked === undefined) return undefined;
  return new InboxError(
    "not_allowed",
    `${tracked} is tracked by git: a checkout can change the contents of your database`,
    {
      hint: `git rm --cached ${shellWord(tracked)}, and look where it came from; no program is started until then`,
      details: { untrusted: "log" },
    },
  );
}

/**
 * The profiles with which a program may be started; throws if they are not approved, or contain a mistake. The text
 * that was checked is the text that is used.
 */
export function approvedProfiles(db: string, env: Environment): Profiles {
  const file = profilesFile(db, env);
  const text = readOwn(file);
  if (text !== undefined && !isUsersOwn(file, env) && !areProfilesTrusted(file, text, env))
    throw refusal(db, "profiles", `${file} was created or changed since you last approved it`);
  return parsedOnce(file, text);
}

let last: { file: string; text: string | undefined; profiles: Profiles } | undefined;

/** A supervisor asks several times for each task, and the same text has the same answer. */
function parsedOnce(file: string, text: string | undefined): Profiles {
  if (last?.file !== file || last.text !== text) last = { file, text, profiles: profilesIn(file, text) };
  return last.profiles;
}

/** Why no program may be started now. A mistake in the file is reported by the task that needs the profile. */
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
  new InboxError("not_allowed", `no program was started: ${why}`, {
    hint: phrase`${call("bus.trust", {}, { db })} shows what would be run and asks for confirmation; ${field("yes", true, "bus.trust")} approves without asking`,
    details: { untrusted: what, db },
  });
