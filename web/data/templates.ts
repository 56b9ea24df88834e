/** Prompts that are used again, kept in the browser. */
import { signal } from "@preact/signals";

const key = "inbox-templates";

function stored(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}

export const templates = signal<Readonly<Record<string, string>>>(stored());

/** Under its first line. An empty text removes the template. */
export function keepTemplate(name: string, text: string): void {
  const { [name]: _, ...others } = templates.peek();
  templates.value = text ? { ...others, [name]: text } : others;
  localStorage.setItem(key, JSON.stringify(templates.peek()));
}
