/** Copies text; where the browser does not let a page do so (an address without TLS), shows it to be copied by hand. */
import { say } from "./toasts.tsx";

export async function copy(text: string, done = "Copied"): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say({ text: done, detail: text });
  } catch {
    say({ text: "This browser does not allow copying here. Copy it by hand:", detail: text, seconds: 30 });
  }
}
