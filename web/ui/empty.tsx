/** What there is when there is nothing: what would be here, and the one command that brings it. */
import type { ComponentChildren } from "preact";
import { copy } from "./copy.ts";
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  /** Shown as it is typed. */
  command?: string;
}

export function Empty({ icon, title, children, command }: Props) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {command && (
        <div class="command">
          <code>{command}</code>
          <button
            type="button"
            class="icon-button"
            aria-label="Copy the command"
            onClick={() => void copy(command)}
          >
            <Icon name="copy" />
          </button>
        </div>
      )}
    </div>
  );
}

export const Trouble = ({ message, hint, again }: { message: string; hint?: string; again?(): void }) => (
  <div class="empty" role="alert">
    <span class="empty-icon" data-tone="bad">
      <Icon name="warning" />
    </span>
    <h2>{message}</h2>
    {hint && <p>{hint}</p>}
    {again && (
      <button type="button" class="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
);
