/** What there is when there is nothing: what would be here, and the one command that brings it. */
import { type ComponentChildren, Fragment } from "preact";
import { copy } from "./copy.ts";
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  /** Shown as it is typed. */
  command?: string;
  action?: { label: string; run(): void };
}

/** A command is typed anywhere, and is meant for the hub whose page this is. */
const atThisHub = (command: string) =>
  command
    .replace(/^inbox setup .*/, `$& --url ${location.origin}`)
    .replaceAll(/\b(inbox|orch) (?!setup)/g, `$1 --db ${location.origin} `);

export function Empty({ icon, title, children, command: plain, action }: Props) {
  const command = plain && atThisHub(plain);
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {command && (
        <div class="command">
          <code>
            {command.split(" ").map((word, i) => (
              <Fragment key={i}>
                <span class="word">{word}</span>{" "}
              </Fragment>
            ))}
          </code>
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
      {action && <Action {...action} />}
    </div>
  );
}

const Action = ({ label, run }: { label: string; run(): void }) => (
  <button type="button" class="button" onClick={run}>
    {label}
  </button>
);

export const Trouble = ({ message, hint, retry }: { message: string; hint?: string; retry(): void }) => (
  <div class="empty" role="alert">
    <span class="empty-icon" data-tone="bad">
      <Icon name="warning" />
    </span>
    <h2>{message}</h2>
    {hint && <p>{hint}</p>}
    <Action label="Try again" run={retry} />
  </div>
);
