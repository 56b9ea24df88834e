/** [U6] How a person continues a sub-agent's conversation in a terminal. */
import type { Task } from "../contract/task.ts";
import type { Profiles } from "./profiles/profile.ts";
import { mentions } from "./profiles/template-places.ts";
import { filled } from "./runners/template.ts";

/** The words of a command to run in the task's folder; null if its program has none. */
export function resumeCommand(profiles: Profiles, task: Task): string[] | null {
  const runner = task.profile === null ? undefined : profiles.all.get(task.profile)?.runner;
  if (!runner || task.session === null || task.status !== "finished") return null;
  const program = runner.command[0]!;
  const { session } = task;
  switch (runner.kind) {
    case "claude":
      return [program, "--resume", session];
    case "codex":
      return [program, "resume", session];
    case "opencode":
      return [program, "--session", session];
    case "command":
      // A command that takes a prompt is for programs: a person would have nowhere to type it.
      if (runner.resume === null || mentions(runner.resume, "prompt")) return null;
      return filled(runner.resume, { ...task, session });
    default:
      return null;
  }
}
