/** [U6] Where a sub-agent's program can go on with a conversation: the command for it. A page cannot open a terminal. */
import { type Task, tasks } from "../data/tasks.ts";
import { Icon } from "../ui/icon.tsx";
import { say } from "../ui/toasts.tsx";
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
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => say({ text: "Copied: paste it into a terminal", detail: command }),
      () => say({ text: "Type this into a terminal", detail: command, seconds: 30 }),
    );
  return (
    <button type="button" class="button quiet" title={command} onClick={() => void copy()}>
      <Icon name="reply" /> Go on in a terminal
    </button>
  );
}
