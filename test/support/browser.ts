/** How Chromium is started for a test: no window, no sandbox (tests run as root), and nothing of its own on the network. */
export const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The shell first: the same engine without the parts that only a window has, which loads a page for half the processor time. */
export const chromiumPath = () =>
  // Debian's command is a script that stays: whoever ends that one leaves the browser running.
  Bun.which("/usr/lib/chromium/chromium-headless-shell") ??
  Bun.which("chromium-headless-shell") ??
  Bun.which("chromium") ??
  Bun.which("chromium-browser");

export const chromium = (profile: string, ...more: string[]) => [
  chromiumPath()!,
  "--headless",
  ...chromiumFlags,
  `--user-data-dir=${profile}`,
  ...more,
];
