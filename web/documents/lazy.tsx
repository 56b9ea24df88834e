/** What is large is loaded when it is first shown. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

/** A component of a module that comes later; what it will look like until then may be given. */
function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  meanwhile?: ComponentType<P>,
): ComponentType<P> {
  // A signal: whoever is drawn while another one's module comes in is drawn again with it.
  const loaded = signal<ComponentType<P> | undefined>(undefined);
  let loading = false;
  const begin = async () => {
    if (loading) return;
    loading = true;
    try {
      loaded.value = await load();
    } catch {
      loading = false; // the line is down; what is shown meanwhile stays, and the next one asks again
    }
  };
  return (props: P) => {
    useEffect(() => {
      void begin();
    }, []);
    const Shown = loaded.value ?? meanwhile;
    return Shown ? <Shown {...props} /> : null;
  };
}

/** [U7.9] Whoever shows a text says which of the two it is. */
export type MarkdownProps =
  | {
      text: string;
      /** The entry it belongs to, whose workspace its images are in. */
      entry: string;
      /** The document's folder in the workspace. */
      folder: string;
      message?: undefined;
    }
  | {
      text: string;
      /** It was not declared to be Markdown: what is not is shown as it was typed. */
      message: true;
      entry?: undefined;
      folder?: undefined;
    };

export const Markdown = later<MarkdownProps>(
  async () => (await import("./markdown.tsx")).Markdown,
  ({ text }) => <div class="markdown plain">{text}</div>,
);

export interface CodeProps {
  text: string;
  language: string;
}

const PlainCode = ({ text }: { text: string }) => <code>{text}</code>;

export const Code = later<CodeProps>(async () => (await import("./code.tsx")).Code, PlainCode);

export interface FormulaProps {
  text: string;
  display: boolean;
}

export const Formula = later<FormulaProps>(async () => (await import("./formula.tsx")).Formula, PlainCode);
