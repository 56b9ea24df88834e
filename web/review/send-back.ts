/** Comments go to the session that made the changes; where its program cannot go on, to a new one that is told where they are. */
import { goOn, type Task } from "../data/tasks.ts";
import { ask } from "../ui/ask.tsx";
import { attempt } from "../ui/attempt.ts";
import { say } from "../ui/toasts.tsx";

export async function sendBack(task: Task, message: string): Promise<boolean> {
  const { name, session, worktree } = task;
  const again = session === null;
  if (again) {
    const sure = await ask({
      title: `Start ${name} again?`,
      text: `Its program cannot continue a session. A new one gets the prompt and your comments, in a new worktree; what was changed stays on ${worktree?.branch}.`,
      button: "Start again",
    });
    if (!sure) return false;
  }
  const text = again
    ? `${message}\n\nYour changes are on the branch ${worktree?.branch}; begin with them.`
    : message;
  return attempt(async () => {
    const how = await goOn(task, text);
    say({
      text:
        how === "turn" ? `${name} goes on with your comments` : `Started ${name} again with your comments`,
    });
  });
}
