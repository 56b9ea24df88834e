/** [U6] A task, and how a person goes on with its conversation. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Task } from "../../contract/task.ts";
import { resumeCommand } from "../resume.ts";
import { profilesAt, type Workplace } from "./place.ts";

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
