/** What the key for commands is called on this machine. */
export const modKey = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl ";

/** Handles one key pressed together with it. */
export const withMod = (key: string, run: () => void) => (event: KeyboardEvent) => {
  if (event.key !== key || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  run();
};
