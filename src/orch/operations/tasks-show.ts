/** [U6] A task, and how a person continues its conversation. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Task } from "../../contract/task.ts";
import { reportedBy } from "../profiles/reported.ts";
import { resumeCommand } from "../resume.ts";
import { profilesAt, type Workplace } from "./place.ts";

export function withResume(place: Workplace, task: Task): OutputOf<"tasks.show"> {
  // A mistake in the profile file is no reason not to show a task.
  const profiles = task.profile === null ? undefined : quietly(() => profilesAt(place).profiles);
  const profile = profiles?.all.get(task.profile!);
  return {
    task,
    resume: profiles && task.session !== null ? resumeCommand(profiles, task) : null,
    reports: profile ? reportedBy(profile.runner) : null,
  };
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
