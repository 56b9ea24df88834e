/** The page in a real browser: a window on a hub, and what it must never do. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumFlags, chromiumPath } from "./browser.ts";

let shared: Promise<Browser> | undefined;

/** One browser a test file; each window has its own profile. */
export async function browser(): Promise<Browser> {
  // A test that ran out of time takes it along.
  if (shared && !(await shared).isConnected()) shared = undefined;
  shared ??= chromium.launch({ executablePath: chromiumPath()!, args: chromiumFlags });
  return shared;
}

export async function closeBrowser(): Promise<void> {
  await (await shared)?.close();
  shared = undefined;
}

export interface Window extends AsyncDisposable {
  page: Page;
  /** Everything that was asked for elsewhere, every dialog, every script error. */
  troubles: string[];
  /** Keys, one after the other. */
  press(...keys: string[]): Promise<void>;
}

export async function openWindow(
  url: string,
  path = "/",
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await (await browser()).newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    // What a worker fetches is fetched by no page, and a test could not hold it up.
    serviceWorkers: "block",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const troubles = watchOver(page, url);
  await page.goto(url + path);
  return {
    page,
    troubles,
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

export function watchOver(page: Page, url: string): string[] {
  const troubles: string[] = [];
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !/^(blob|data):/.test(asked)) troubles.push(`request to ${asked}`);
  });
  page.on("dialog", (dialog) => {
    troubles.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => troubles.push(`error ${error.message}`));
  page.on("console", (message) => {
    // A refused inline script or style is the policy at work, and a hole in what comes before it.
    if (/Content Security Policy/.test(message.text())) troubles.push(`policy ${message.text()}`);
  });
  page.on("popup", () => troubles.push("a window was opened"));
  return troubles;
}
