/** [Q1] [Q8] A task as its profile completes it; what nobody would heed is refused. */
import type { NewTask } from "../../bus/tasks/add.ts";
import { InboxError } from "../../contract/errors.ts";
import type { ParsedOf } from "../../contract/operations/index.ts";
import type { PermissionAsked } from "../../contract/task.ts";
import { chosen } from "../inherited.ts";
import type { Profile } from "../profiles/profile.ts";
import { chooseProfile } from "../profiles/profile-list.ts";
import { choosesModel } from "../profiles/profiles-file.ts";
import { profilesAt, type Workplace } from "./place.ts";

type Asked = Omit<ParsedOf<"tasks.push">, "prompt">;

/** What the push leaves out is decided now, so that a mistake is told to whoever makes it. A living worker needs no profile. */
export function complete(place: Workplace, asked: Asked, prompt: string): NewTask {
  const cwd = asked.cwd ?? process.cwd();
  const rest = { ...asked, prompt, cwd };
  if (asked.worker !== undefined) {
    refusePermission(asked.permission, `"${asked.worker}" is already running with its own permission`);
    return { ...rest, profile: null, retries: asked.retries ?? 0, usualPermission: null, env: null };
  }
  const { profiles } = profilesAt(place);
  const profile = chooseProfile(profiles, asked.profile, process.env.PATH ?? "");
  if (profile.permission === null)
    refusePermission(asked.permission, `the runner "${profile.runner.name}" does not ask for permissions`);
  if (asked.model !== undefined) refuseModel(profile);
  return {
    ...rest,
    profile: profile.name,
    retries: asked.retries ?? profile.runner.retries,
    usualPermission: profile.permission,
    env: handedOn(place, profile),
  };
}

/** [X12] What the caller's environment says of what the profile names: whoever supervises may have another one. */
function handedOn({ env }: Workplace, { runner }: Profile): string | null {
  const kept = env ? chosen(env, ["INBOX_*", ...runner.passEnv]) : {};
  return Object.keys(kept).length ? JSON.stringify(kept) : null;
}

function refusePermission(asked: PermissionAsked | undefined, why: string): void {
  if (asked === undefined || asked === "inherit") return;
  throw new InboxError("invalid_input", `permission=${asked} has no effect: ${why}`, {
    hint: "leave out permission",
  });
}

/** [Q8] What nobody would heed is refused, not ignored. */
export function refuseModel({ runner: { name }, runner }: Profile): void {
  if (choosesModel(runner)) return;
  throw new InboxError("invalid_input", `the runner "${name}" cannot select a model`, {
    hint: `leave out the model, or set model = ["--model", "{model}"] in [runners.${name}] of .agents/agents.toml`,
  });
}
