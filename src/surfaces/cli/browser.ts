/** Opens a page in the person's browser, if there is one. */
type Env = Record<string, string | undefined>;

/** The command that opens an address; undefined if there is no browser to open it. */
export function openerOf(env: Env): string | undefined {
  const there = (name: string) => Bun.which(name, { PATH: env.PATH ?? "" }) !== null;
  if (env.BROWSER && there(env.BROWSER)) return env.BROWSER;
  if (process.platform === "darwin") return there("open") ? "open" : undefined;
  if (env.WSL_DISTRO_NAME && there("wslview")) return "wslview";
  const hasScreen = env.DISPLAY || env.WAYLAND_DISPLAY;
  return hasScreen && there("xdg-open") ? "xdg-open" : undefined;
}

/** It continues after we exit. */
export function openPage(opener: string, url: string, env: Env): void {
  try {
    const child = Bun.spawn([opener, url], {
      env: env as Record<string, string>,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
    child.unref();
  } catch {
    // The address was printed; it can be opened by hand.
  }
}
