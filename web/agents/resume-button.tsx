/** [U6] Where a sub-agent's program can go on with a conversation: the command for it. A page cannot open a terminal. */
import { type Task, tasks } from "../data/tasks.ts";
import { copy } from "../ui/copy.ts";
import { Icon } from "../ui/icon.tsx";
import { useLive } from "../ui/use-live.ts";

/** For a POSIX shell: as it is where that is harmless, else in quotes. */
const quoted = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export function ResumeButton({ task }: { task: Task }) {
  const { value } = useLive(
    () => tasks.show(task.name),
    ({ eventType }) => eventType.startsWith("task."),
    [task.name, task.status],
  );
  if (!value?.resume) return null;
  const command = `cd ${quoted(task.cwd)} && ${value.resume.map(quoted).join(" ")}`;
  return (
    <button
      type="button"
      class="button quiet"
      title={command}
      onClick={() => void copy(command, "Copied: paste it into a terminal")}
    >
      <Icon name="reply" /> Go on in a terminal
    </button>
  );
}
