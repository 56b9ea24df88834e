/** [U14] What an agent asks to be allowed: the tool, what it is called with, where, and what it would change. */
import type { Approval } from "../../src/contract/question.ts";
import { languageOf } from "../documents/kinds.ts";
import { Code } from "../documents/lazy.tsx";
import { Icon } from "../ui/icon.tsx";
import { type Argument, type Change, changesIn } from "./approval-changes.ts";

export function ApprovalBlock({ approval }: { approval: Approval }) {
  const { tool, folder } = approval;
  const { changes, rest } = changesIn(approval);
  return (
    <section class="approval" aria-label="What it asks for">
      <dl class="facts">
        <div>
          <dt>Tool</dt>
          <dd>
            <Icon name="tool" /> <strong>{tool}</strong>
          </dd>
        </div>
        <div>
          <dt>Folder</dt>
          <dd class="mono">{folder}</dd>
        </div>
        {rest.filter(isShort).map(({ name, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="mono">{text}</dd>
          </div>
        ))}
      </dl>
      {rest
        .filter((one) => !isShort(one))
        .map(({ name, text, language }) => (
          <figure key={name}>
            <figcaption>{name}</figcaption>
            <pre tabIndex={0}>
              <Code text={text} language={language} />
            </pre>
          </figure>
        ))}
      {changes.map((change) => (
        <ChangeBlock key={change.path} {...change} />
      ))}
    </section>
  );
}

/** What is run is always shown as such. */
const isShort = ({ name, text }: Argument) => name !== "command" && text.length <= 60 && !text.includes("\n");

const signs = { same: "", added: "added: ", removed: "removed: " };

const ChangeBlock = ({ path, lines }: Change) => (
  <figure aria-label={`Change of ${path}`}>
    <figcaption class="mono">{path}</figcaption>
    <div class="approval-change" tabIndex={0} role="region" aria-label={`Lines of ${path}`}>
      {lines.map(({ is, text }, n) => (
        <div key={n} class="patch-line" data-kind={is}>
          <span class="patch-text">
            {signs[is] && <span class="hidden">{signs[is]}</span>}
            <Code text={text} language={languageOf(path)} />
          </span>
        </div>
      ))}
    </div>
  </figure>
);
