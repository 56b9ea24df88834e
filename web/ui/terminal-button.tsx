/** [U6] A command that resumes a session. A page cannot open a terminal: the command is copied, to be pasted there. */
import { copy } from "./copy.ts";
import { Icon } from "./icon.tsx";

export const TerminalButton = ({ command }: { command: string }) => (
  <button
    type="button"
    class="button quiet"
    aria-label="Copy session command"
    title={command}
    onClick={() => void copy(command, "Command copied. Paste it into a terminal.")}
  >
    <Icon name="copy" />{" "}
    <span class="label">
      <span class="wide-only">Copy session command</span>
      <span class="narrow-only">Session</span>
    </span>
  </button>
);
