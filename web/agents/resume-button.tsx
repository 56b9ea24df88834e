/** [U6] Where a sub-agent's program can resume a conversation: the command for it. */
import { shellWord } from "../../src/contract/shell-word.ts";
import { useLoaded } from "../data/store.ts";
import { type Task, tasks } from "../data/tasks.ts";
import { TerminalButton } from "../ui/terminal-button.tsx";

export function ResumeButton({ task }: { task: Task }) {
  const { value } = useLoaded(
    {
      fetch: () => tasks.show(task.name),
      changedBy: ({ eventType }) => eventType.startsWith("task."),
    },
    [task.name],
    task.status,
  );
  if (!value?.resume) return null;
  return <TerminalButton command={`cd ${shellWord(task.cwd)} && ${value.resume.map(shellWord).join(" ")}`} />;
}
