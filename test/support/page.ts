/** The page in a real browser: a window on a hub, and what it must never do. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { chromiumFlags, chromiumPath } from "./browser.ts";

let shared: Promise<Browser> | undefined;
/** The page that the last window has left behind, for the next one: a new one takes three times as long to show the same. */
let kept: Page | undefined;

/** One browser a test file. */
export async function browser(): Promise<Browser> {
  shared ??= chromium.launch({ executablePath: chromiumPath()!, args: chromiumFlags });
  return shared;
}

/** A test that ran out of time takes the browser along: then there is another for the next one. */
async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  try {
    return await (await browser()).newContext(options);
  } catch {
    shared = undefined;
    return (await browser()).newContext(options);
  }
}

export async function closeBrowser(): Promise<void> {
  kept = undefined;
  await (await shared)?.close();
  shared = undefined;
}

export interface Window extends AsyncDisposable {
  page: Page;
  /** Everything that was asked for elsewhere, every dialog, every script error. */
  troubles: string[];
  /** Keys, one after the other. */
  press(...keys: string[]): Promise<void>;
  /** Another address of the page, as a link in it leads there: nothing is loaded anew. */
  go(path: string): Promise<void>;
}

export interface WindowOptions extends BrowserContextOptions {
  /** Run before the page's own scripts. */
  before?: string | (() => void);
}

/** `npm run hunt -- --slow N`: pages that are so many times slower, for what a fast one does before anybody sees it. */
const slowness = Number(process.env.TEST_PAGE_SLOWNESS ?? 1);

const wide = { width: 1280, height: 800 };

/**
 * What the page says for some seconds, and can be undone for as long, is there for a minute or more: a machine that stands still
 * must not take away what a test looks for.
 */
const lastingToasts = `{
  const soon = globalThis.setTimeout;
  globalThis.setTimeout = (run, ms, ...more) => soon(run, ms >= 4000 && ms <= 20000 ? ms * 15 : ms, ...more);
}`;

/** A window in which nobody has been: nothing is stored, nothing routed, and the pointer is nowhere. */
export async function openWindow(
  url: string,
  path = "/",
  { viewport = wide, colorScheme = "light", before, ...own }: WindowOptions = {},
): Promise<Window> {
  const again = before === undefined && Object.keys(own).length === 0;
  let page = again ? kept : undefined;
  if (page?.isClosed()) page = undefined;
  if (page) {
    kept = undefined;
    if (viewport) await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
  } else {
    const context = await newContext({
      viewport,
      colorScheme,
      reducedMotion: "reduce",
      // What a worker fetches is fetched by no page, and a test could not hold it up.
      serviceWorkers: "block",
      ...own,
    });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    if (slowness > 1) {
      const session = await context.newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
    }
    await page.addInitScript({ content: lastingToasts });
    if (before !== undefined)
      await page.addInitScript(typeof before === "string" ? { content: before } : before);
  }
  const shown = page;
  const watch = watchOver(shown, url);
  await shown.goto(url + path);
  return {
    page: shown,
    troubles: watch.troubles,
    async press(...keys) {
      for (let i = 0; i < keys.length; i++) {
        const pressed = [shown.keyboard.press(keys[i]!)];
        // The two of "g i" belong together when little time is between them: nothing is waited for there.
        if (keys[i] === "g" && ++i < keys.length) pressed.push(shown.keyboard.press(keys[i]!));
        await Promise.all(pressed);
      }
    },
    async go(to) {
      await shown.evaluate(
        `history.pushState(null, "", ${JSON.stringify(to)}); dispatchEvent(new PopStateEvent("popstate"))`,
      );
    },
    async [Symbol.asyncDispose]() {
      watch.stop();
      if (again && !kept && !shown.isClosed() && (await empty(shown, url))) kept = shown;
      else await shown.context().close();
    },
  };
}

/** Leaves nothing of what a test has done in its window; whether that was possible. */
async function empty(page: Page, url: string): Promise<boolean> {
  try {
    for (const other of page.context().pages()) if (other !== page) await other.close();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.mouse.move(-1, -1);
    // What is stored is cleared from a file of the same hub, because the page stores some things when it is left.
    await page.goto(`${url}/assets/icon.svg`);
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    return true;
  } catch {
    return false; // its hub is gone
  }
}

/** What happens in a page that must not, from now on until it is stopped. */
export function watchOver(page: Page, url: string): { troubles: string[]; stop(): void } {
  const troubles: string[] = [];
  const listeners = {
    request: (request: { url(): string }) => {
      const asked = request.url();
      if (!asked.startsWith(url) && !/^(blob|data):/.test(asked)) troubles.push(`request to ${asked}`);
    },
    dialog: (dialog: { message(): string; dismiss(): Promise<void> }) => {
      troubles.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    },
    pageerror: (error: Error) => troubles.push(`error ${error.message}`),
    console: (message: { text(): string }) => {
      // A refused inline script or style is the policy at work, and a hole in what comes before it.
      if (/Content Security Policy/.test(message.text())) troubles.push(`policy ${message.text()}`);
    },
    popup: () => troubles.push("a window was opened"),
  };
  for (const [event, listener] of Object.entries(listeners))
    page.on(event as "popup", listener as () => void);
  return {
    troubles,
    stop() {
      for (const [event, listener] of Object.entries(listeners))
        page.off(event as "popup", listener as () => void);
    },
  };
}
