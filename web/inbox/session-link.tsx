/** [U6] The way back into the session an entry came from: its transcript, while it runs. */
import { agentIsTask } from "../data/tasks.ts";
import { go } from "../router.ts";
import { Icon } from "../ui/icon.tsx";

export const SessionLink = ({ agent }: { agent: string }) =>
  agentIsTask(agent) ? (
    <button type="button" class="button quiet" onClick={() => go({ tab: "agents", id: agent })}>
      <Icon name="agents" /> Open its session
    </button>
  ) : null;
