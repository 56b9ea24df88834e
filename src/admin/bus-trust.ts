/** [X7] `inbox trust`: shows what would be run for a bus, and approves exactly that. */

import { isUnstarted, tasksWhere } from "../bus/task.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { call, phrase } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { openEngine } from "../engines/registry.ts";
import { distrustBus, distrustProfiles, trustBus, trustProfiles } from "../location/trust.ts";
import { refusalNow } from "../orch/approval.ts";
import { profilesFile } from "../orch/paths.ts";
import type { Profiles } from "../orch/profiles/profile.ts";
import { placeOf } from "../orch/profiles/profile-list.ts";
import { profilesIn } from "../orch/profiles/profiles-file.ts";
import { readOwn } from "../platform/own-files.ts";
import type { Environment } from "../platform/user-folders.ts";
import { requireDatabase } from "./require-database.ts";

type Output = OutputOf<"bus.trust">;

export async function busTrust(
  db: string,
  env: Environment,
  { yes, revoke, digest }: ParsedOf<"bus.trust">,
): Promise<Output> {
  requireDatabase("trust", db, "run it where the hub runs, as the user who runs it");
  const file = profilesFile(db, env);
  const text = readOwn(file);
  const runs = runsOf(profilesIn(file, text), env.PATH ?? "");
  const waiting = await waitingIn(db);
  const seen = new Bun.CryptoHasher("sha256").update(JSON.stringify([text ?? null, waiting])).digest("hex");
  if (digest !== undefined && digest !== seen)
    throw new InboxError(
      "conflict",
      "the programs or tasks to approve have changed since they were shown; nothing was approved",
      {
        hint: phrase`run ${call("bus.trust")} again and check what it shows`,
      },
    );
  if (revoke) {
    distrustBus(db, env);
    if (text !== undefined) distrustProfiles(file, text, env);
  } else if (yes) {
    trustBus(db, env);
    if (text !== undefined) trustProfiles(file, text, env);
  }
  return {
    db: withoutPassword(db),
    profiles: text === undefined ? null : file,
    content: text ?? null,
    runs,
    waiting,
    digest: seen,
    trusted: refusalNow(db, env) === undefined,
  };
}

/** Built-in runners only if they are installed: nothing else can be started by them. */
function runsOf({ all, usual }: Profiles, path: string): Output["runs"] {
  const runs: Output["runs"] = [];
  for (const what of ["prepare", "check"] as const)
    if (usual[what]) runs.push({ name: "*", what, command: [...usual[what]] });
  for (const { name, runner, gate, gateIdle, prepare, check } of all.values()) {
    if (runner.name === name && (runner.kind === "command" || placeOf(runner.command[0]!, path) !== null)) {
      runs.push({ name, what: "runner", command: [...runner.command] });
      if (runner.resume) runs.push({ name, what: "resume", command: [...runner.resume] });
    }
    if (gate) runs.push({ name, what: "gate", command: [...gate] });
    if (gateIdle) runs.push({ name, what: "idle gate", command: [...gateIdle] });
    if (prepare && prepare !== usual.prepare) runs.push({ name, what: "prepare", command: [...prepare] });
    if (check && check !== usual.check) runs.push({ name, what: "check", command: [...check] });
  }
  return runs;
}

/** The tasks that would start as soon as it is approved. */
async function waitingIn(db: string): Promise<Output["waiting"]> {
  const engine = openEngine(db);
  try {
    const queued = await engine.read(() => tasksWhere(isUnstarted));
    return queued.map(({ name, profile, cwd, prompt }) => ({ name, profile, cwd, prompt }));
  } finally {
    await engine.close();
  }
}
