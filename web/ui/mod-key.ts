/** How the key for commands is called on this machine. */
export const modKey = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl ";
