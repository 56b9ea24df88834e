/** [U6] Where a sub-agent's program can resume a conversation: the command for it, in the folder where it worked. */
import { shellWord } from "../../src/contract/shell-word.ts";
import type { Task } from "../data/tasks.ts";
import { TerminalButton } from "../ui/terminal-button.tsx";

export function ResumeButton({ task, resume }: { task: Task; resume: readonly string[] }) {
  const { worktree, cwd } = task;
  const folder = worktree?.state === "kept" && worktree.path !== null ? worktree.path : cwd;
  return <TerminalButton command={`cd ${shellWord(folder)} && ${resume.map(shellWord).join(" ")}`} />;
}
