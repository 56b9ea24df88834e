/** [U6] Where a sub-agent's program can go on with a conversation: the command for it. */
import { shellWord } from "../../src/contract/shell-word.ts";
import { type Task, tasks } from "../data/tasks.ts";
import { TerminalButton } from "../ui/terminal-button.tsx";
import { useLive } from "../ui/use-live.ts";

export function ResumeButton({ task }: { task: Task }) {
  const { value } = useLive(
    () => tasks.show(task.name),
    ({ eventType }) => eventType.startsWith("task."),
    [task.name, task.status],
  );
  if (!value?.resume) return null;
  return <TerminalButton command={`cd ${shellWord(task.cwd)} && ${value.resume.map(shellWord).join(" ")}`} />;
}
