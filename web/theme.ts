/** Light, dark, or as the system is. */
import { effect, signal } from "@preact/signals";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "inbox-theme";
const stored = localStorage.getItem(key);
export const theme = signal<Theme>(themes.find((one) => one === stored) ?? "system");
const system = matchMedia("(prefers-color-scheme: dark)");
export const dark = signal(false);

const settle = () => {
  dark.value = theme.value === "dark" || (theme.value === "system" && system.matches);
  document.documentElement.dataset.theme = dark.value ? "dark" : "light";
};

export function followTheme(): void {
  effect(() => {
    localStorage.setItem(key, theme.value);
    settle();
  });
  system.addEventListener("change", settle);
  // Another window of ours has chosen.
  addEventListener("storage", ({ key: changed, newValue }) => {
    if (changed === key) theme.value = themes.find((one) => one === newValue) ?? "system";
  });
}
