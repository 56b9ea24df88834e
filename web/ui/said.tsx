/** One message in a conversation: who, when, what, and what can be done with it. */
import type { ComponentChildren } from "preact";
import { readable } from "../documents/failed-result.ts";
import { Markdown } from "../documents/lazy.tsx";
import { Face } from "./face.tsx";
import { Age } from "./time.tsx";

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

export const Said = ({ sender, at, text, about, above, below, action, status }: Props) => (
  <li class="said" data-status={status}>
    <Face name={sender} />
    <div class="said-text">
      <p class="commentary-who">
        <strong>{sender}</strong>
        {about} <Age at={at} />
      </p>
      {above}
      {text && <Markdown text={readable(text)} folder="" />}
      {below}
    </div>
    {action}
  </li>
);
