/** The operations of the queue that need more than the database: profiles, transcripts, waiting for a sub-agent. */
import { editTask } from "../bus/procedures/task-change.ts";
import { addTask, type NewTask, push } from "../bus/procedures/task-push.ts";
import { releaseTasks } from "../bus/procedures/task-run.ts";
import { findTask } from "../bus/task.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { PermissionAsked, Task } from "../contract/task.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { chosen } from "./inherited.ts";
import { profilesFile } from "./place.ts";
import type { Profile } from "./profile.ts";
import { chooseProfile, describeProfiles } from "./profile-list.ts";
import { choosesModel, loadProfiles } from "./profiles.ts";
import { resumeCommand } from "./resume.ts";

/** Which database it is, as far as the queue has to know. */
export interface Workplace {
  db: string;
  /** Sees to it that somebody supervises what is to run. */
  supervise(): Promise<void>;
  /** The environment of whoever calls; none where that is another process. */
  env?: Readonly<Record<string, string | undefined>>;
}

const profilesAt = ({ db }: Pick<Workplace, "db">) => {
  const file = profilesFile(db, process.env);
  return { file, profiles: loadProfiles(file) };
};

export function listProfiles(place: Workplace): OutputOf<"tasks.profiles"> {
  const { file, profiles } = profilesAt(place);
  const there = Bun.file(file).size > 0;
  return {
    file: there ? file : null,
    default: profiles.default,
    profiles: describeProfiles(profiles, process.env.PATH ?? ""),
  };
}

export function withResume(place: Workplace, task: Task): OutputOf<"tasks.show"> {
  // A mistake in the file is no reason not to show a task.
  const profiles = task.session === null ? undefined : quietly(() => profilesAt(place).profiles);
  return { task, resume: profiles ? resumeCommand(profiles, task) : null };
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

type Asked = Omit<ParsedOf<"tasks.push">, "prompt">;

/** What the push leaves out is decided now, so that a mistake is told to whoever makes it. A living worker needs no profile. */
function complete(place: Workplace, asked: Asked, prompt: string): NewTask {
  const cwd = asked.cwd ?? process.cwd();
  const rest = { ...asked, prompt, cwd };
  if (asked.worker !== undefined) {
    refusePermission(asked.permission, `"${asked.worker}" lives already, and has its own`);
    return { ...rest, profile: null, retries: asked.retries ?? 0, usualPermission: null, env: null };
  }
  const { profiles } = profilesAt(place);
  const profile = chooseProfile(profiles, asked.profile, process.env.PATH ?? "");
  if (profile.permission === null)
    refusePermission(asked.permission, `the runner "${profile.runner.name}" asks nobody`);
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
  throw new InboxError("invalid_input", `permission=${asked} would do nothing: ${why}`, {
    hint: "leave permission out",
  });
}

/** [Q8] What nobody would heed is refused, not ignored. */
function refuseModel({ runner: { name }, runner }: Profile): void {
  if (choosesModel(runner)) return;
  throw new InboxError("invalid_input", `the runner "${name}" has no way to choose a model`, {
    hint: `leave the model out, or set model = ["--model", "{model}"] in [runners.${name}] of .agents/agents.toml`,
  });
}

export const pushTo = (place: Workplace, input: ParsedOf<"tasks.push">) => {
  const task = complete(place, input, input.prompt);
  return (tx: Context) => push(tx, task);
};

/** A kind of agent that there is not is refused now, not when it would start. */
export const editTo = (place: Workplace, input: ParsedOf<"tasks.edit">) => {
  const known = (name: string | undefined) =>
    chooseProfile(profilesAt(place).profiles, name, process.env.PATH ?? "");
  if (input.profile !== undefined) known(input.profile);
  return function* (tx: Context): Procedure<OutputOf<"tasks.edit">> {
    const { profile, worker } = yield* findTask(input.name);
    if (input.model !== undefined && worker === null)
      refuseModel(known(input.profile ?? profile ?? undefined));
    return yield* editTask(tx, input);
  };
};

/** The profile comes first here: one word alone that is a profile's name is a prompt that was forgotten. */
function refuseProfileAlone(place: Workplace, profile: string | undefined, message: string): void {
  if (profile !== undefined || !profilesAt(place).profiles.all.has(message)) return;
  throw new InboxError("invalid_input", `"${message}" is a profile, and nothing says what it is to do`, {
    hint: "give the profile first, then what it is to do",
  });
}

/** [Q11] Push and run in one. What was queued before stays queued, and a limit of its queue is not for it. */
export const assignTo = (place: Workplace, { message, ...input }: ParsedOf<"tasks.assign">) => {
  refuseProfileAlone(place, input.profile, message);
  const task = complete(place, input, message);
  return function* (tx: Context): Procedure<OutputOf<"tasks.assign">> {
    const row = yield* addTask(tx, task);
    yield* releaseTasks(tx, { agent: input.agent, names: [row.name], inTurn: false, now: row.created_at });
    return { success: true, terminalId: row.name };
  };
};
