/** Whether changes are shown side by side; the browser remembers it. A narrow screen has no room for it. */
import { computed, signal } from "@preact/signals";
import { narrow } from "../ui/narrow.ts";

const key = "inbox-diff";
export const split = signal(localStorage.getItem(key) === "split");
const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => {
  isNarrow.value = narrow.matches;
});

export const splitShown = computed(() => split.value && !isNarrow.value);

export function showSplit(yes: boolean): void {
  split.value = yes;
  localStorage.setItem(key, yes ? "split" : "inline");
}
