/** The operations of the queue that need more than the database: profiles, transcripts, waiting for a sub-agent. */
import { editTask } from "../bus/procedures/task-change.ts";
import { addTask, type NewTask, push } from "../bus/procedures/task-push.ts";
import { release } from "../bus/procedures/task-run.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Task } from "../contract/task.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { profilesFile } from "./place.ts";
import { chooseProfile, describeProfiles } from "./profile-list.ts";
import { loadProfiles } from "./profiles.ts";
import { resumeCommand } from "./resume.ts";

/** Which database it is, as far as the queue has to know. */
export interface Place {
  db: string;
  /** Sees to it that somebody supervises what is to run. */
  supervise(): Promise<void>;
}

const profilesAt = ({ db }: Pick<Place, "db">) => {
  const file = profilesFile(db, process.env);
  return { file, profiles: loadProfiles(file) };
};

export function listProfiles(place: Place): OutputOf<"tasks.profiles"> {
  const { file, profiles } = profilesAt(place);
  const there = Bun.file(file).size > 0;
  return {
    file: there ? file : null,
    default: profiles.default,
    profiles: describeProfiles(profiles, process.env.PATH ?? ""),
  };
}

export function withResume(place: Place, task: Task): OutputOf<"tasks.show"> {
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
function complete(place: Place, asked: Asked, prompt: string): NewTask {
  const cwd = asked.cwd ?? process.cwd();
  const rest = { ...asked, prompt, cwd };
  if (asked.worker !== undefined) return { ...rest, profile: null, retries: asked.retries ?? 0 };
  const { profiles } = profilesAt(place);
  const profile = chooseProfile(profiles, asked.profile, process.env.PATH ?? "");
  return { ...rest, profile: profile.name, retries: asked.retries ?? profile.runner.retries };
}

export const pushTo = (place: Place, input: ParsedOf<"tasks.push">) => {
  const task = complete(place, input, input.prompt);
  return (tx: Context) => push(tx, task);
};

/** A kind of agent that there is not is refused now, not when it would start. */
export const editTo = (place: Place, input: ParsedOf<"tasks.edit">) => {
  if (input.profile !== undefined)
    chooseProfile(profilesAt(place).profiles, input.profile, process.env.PATH ?? "");
  return (tx: Context) => editTask(tx, input);
};

/** [Q11] Push and run in one. What was queued before stays queued, and a limit of its queue is not for it. */
export const assignTo = (place: Place, { message, ...input }: ParsedOf<"tasks.assign">) => {
  const task = complete(place, input, message);
  return function* (tx: Context): Procedure<OutputOf<"tasks.assign">> {
    const row = yield* addTask(tx, task);
    yield* release(tx, input.agent, [row.name], undefined, undefined, row.created_at, false);
    return { success: true, terminalId: row.name };
  };
};
