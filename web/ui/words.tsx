/** [U7.9] Somebody's text, formatted; one click shows it exactly as it was written. */
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Markdown } from "../documents/lazy.tsx";
import { IconButton } from "./icon-button.tsx";

interface Options {
  /** What was written, where the text was made from it. */
  source?: string;
  /** The entry whose comment it is: that is Markdown, and has the images of its workspace. Anything else is a message. */
  entry?: string;
}

/** Whether anything could be formatted in it. */
const hasMarks = (text: string) => /[*_`~#<>|[\]\\&$]|^[ \t]*([-+]|\d+[.)])\s/m.test(text);

/** The text, and the button for its source, which belongs beside the name of who wrote it. */
export function useWords(
  text: string,
  { source = text, entry }: Options = {},
): { words: ComponentChildren; toggle: ComponentChildren } {
  const asWritten = useSignal(false);
  const formatted =
    entry === undefined ? <Markdown text={text} message /> : <Markdown text={text} entry={entry} folder="" />;
  const words = asWritten.value ? <div class="markdown plain as-written">{source}</div> : text && formatted;
  const toggle = (text !== source || hasMarks(text)) && (
    <span class="words-toggle">
      <AsWritten on={asWritten} />
    </span>
  );
  return { words, toggle };
}

/** The button that shows a text as it was written, instead of formatted. */
export const AsWritten = ({ on }: { on: Signal<boolean> }) => (
  <IconButton
    icon="code"
    label="As written"
    short="Source"
    pressed={on.value}
    onClick={() => {
      on.value = !on.value;
    }}
  />
);
