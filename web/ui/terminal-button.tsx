/** [U6] A command that goes on with a session. A page cannot open a terminal: it is copied, to be pasted there. */
import { copy } from "./copy.ts";
import { Icon } from "./icon.tsx";

export const TerminalButton = ({ command }: { command: string }) => (
  <button
    type="button"
    class="button quiet"
    title={command}
    onClick={() => void copy(command, "Copied: paste it into a terminal")}
  >
    <Icon name="reply" /> Go on in a terminal
  </button>
);
