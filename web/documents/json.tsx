/** JSON, folded: what is inside is drawn when it is opened. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { LinkButton } from "../ui/link-button.tsx";
import { Code } from "./lazy.tsx";

const step = 100;

export function Json({ text, lines }: { text: string; lines: boolean }) {
  const value = useMemo(() => {
    try {
      return {
        parsed: lines
          ? text
              .split("\n")
              .filter((line) => line.trim())
              .map((line) => JSON.parse(line))
          : JSON.parse(text),
      };
    } catch {
      return undefined;
    }
  }, [text, lines]);
  if (!value)
    return (
      <>
        <p class="hint">This is not valid JSON. It is shown as plain text.</p>
        <pre tabIndex={0}>
          <Code text={text} language="json" />
        </pre>
      </>
    );
  return (
    <div class="json">
      <Value value={value.parsed} depth={0} />
    </div>
  );
}

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;

const previewLength = 48;

/** What is in an object that is folded: as many of its keys as fit a line, and how many there are. */
function previewOf(keys: readonly string[]): string {
  let names = "";
  for (const [i, key] of keys.entries()) {
    const next = i === 0 ? key : `${names}, ${key}`;
    if (next.length > previewLength) return `{ ${names ? `${names}, …` : "…"} } ${count(keys.length, "key")}`;
    names = next;
  }
  return `{ ${names} }`;
}

function Value({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const open = useSignal(depth < 2);
  const shown = useSignal(step);
  const label = name === undefined ? null : <span class="json-key">{name}: </span>;
  if (typeof value !== "object" || value === null)
    return (
      <div class="json-line">
        {label}
        <span class="json-value" data-type={value === null ? "null" : typeof value}>
          {JSON.stringify(value)}
        </span>
      </div>
    );
  const list = Array.isArray(value);
  const items = Object.entries(value);
  if (!items.length)
    return (
      <div class="json-line">
        {label}
        <span class="json-value">{list ? "[]" : "{}"}</span>
      </div>
    );
  return (
    <details
      open={open.value}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>
        {label}
        <span class="json-count">{list ? count(items.length, "item") : previewOf(Object.keys(value))}</span>
      </summary>
      {open.value && (
        <div class="json-inner">
          {items.slice(0, shown.value).map(([key, item]) => (
            <Value key={key} name={key} value={item} depth={depth + 1} />
          ))}
          {items.length > shown.value && (
            <LinkButton
              onClick={() => {
                shown.value += step * 10;
              }}
            >
              {items.length - shown.value} more
            </LinkButton>
          )}
        </div>
      )}
    </details>
  );
}
