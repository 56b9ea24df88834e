/** One message in a conversation: who, when, what, and what can be done with it. */
import type { ComponentChildren } from "preact";
import { readable } from "../documents/failed-result.ts";
import { Face } from "./face.tsx";
import { Age } from "./time.tsx";
import { useWords } from "./words.tsx";

interface Props {
  sender: string;
  at: string;
  text: string;
  /** Beside the sender: tags. */
  about?: ComponentChildren;
  /** Between the sender and the text. */
  above?: ComponentChildren;
  /** Below the text. */
  below?: ComponentChildren;
  /** On the right. */
  action?: ComponentChildren;
  status?: string;
}

export function Said({ sender, at, text, about, above, below, action, status }: Props) {
  const { words, toggle } = useWords(readable(text), { source: text });
  return (
    <li class="said" data-status={status}>
      <Face name={sender} />
      <div class="said-text">
        <p class="commentary-who">
          <strong>{sender}</strong>
          {about} <Age at={at} />
          {toggle}
        </p>
        {above}
        {words}
        {below}
      </div>
      {action}
    </li>
  );
}
