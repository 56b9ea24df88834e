/** [U6] The way back into the session an entry came from: its transcript while it runs, or the command of its workspace. */
import { taskNamed } from "../data/tasks.ts";
import { go } from "../router.ts";
import { Icon } from "../ui/icon.tsx";
import { TerminalButton } from "../ui/terminal-button.tsx";

export function SessionLink({ agent, back }: { agent: string; back: string | null }) {
  if (taskNamed(agent))
    return (
      <button type="button" class="button quiet" onClick={() => go({ tab: "agents", id: agent })}>
        <Icon name="agents" /> Open transcript
      </button>
    );
  return back === null ? null : <TerminalButton command={back} />;
}
