/** Fields of a form, each bound to a signal. */
import type { Signal } from "@preact/signals";
import type { Ref } from "preact";

interface Props {
  label: string;
  text: Signal<string>;
}

export const TextField = ({ label, text, placeholder }: Props & { placeholder?: string }) => (
  <label>
    {label}
    <input
      placeholder={placeholder}
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value;
      }}
    />
  </label>
);

export const TextArea = ({ label, text, field }: Props & { field?: Ref<HTMLTextAreaElement> }) => (
  <label>
    {label}
    <textarea
      dir="auto"
      ref={field}
      rows={8}
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value;
      }}
    />
  </label>
);
