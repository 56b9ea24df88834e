/** Desktop notifications of new entries, where the person has turned them on and looks elsewhere. */
import { effect, signal } from "@preact/signals";
import { api, forget } from "./data/api.ts";
import { coalesced } from "./data/coalesce.ts";
import { onEvent, onReload } from "./data/live.ts";
import { subscribe, unsubscribe } from "./data/push.ts";
import { headline, whoOf } from "./inbox/words.ts";
import { go } from "./router.ts";
import { say } from "./ui/toasts.tsx";

const key = "inbox-notify";
/** More at once are told as one. */
const most = 3;

export const canNotify = "Notification" in window;
export const notifies = signal(
  canNotify && Notification.permission === "granted" && localStorage.getItem(key) === "yes",
);

/** Turning it on asks the person; browsers let a page ask only when it was clicked. */
export async function toggleNotifications(): Promise<void> {
  const answer = notifies.value ? "off" : await Notification.requestPermission();
  if (answer === "denied")
    say({
      text: "The browser does not allow notifications from this page",
      detail: "Allow them for this address in the browser’s settings, then turn them on here.",
      tone: "bad",
    });
  notifies.value = answer === "granted";
  await keepDevice();
  localStorage.setItem(key, notifies.value ? "yes" : "no");
}

/** The browser's worker shows what needs the person: the window must not do it once more. */
let byPush = false;

/** [U15] A device is told by push also while no window is open. Where it cannot be, an open window tells. */
async function keepDevice(): Promise<void> {
  try {
    if (!notifies.value) return await unsubscribe();
    byPush = await subscribe();
  } catch {
    byPush = false;
  }
}

/** When the newest entry came that was told of, or was there before: what is restored or imported below it is no news. */
let told: number | undefined;

const tell = coalesced(async () => {
  if (!notifies.value) return;
  const { entries } = await api.entries.history({ limit: 50 });
  const since = told;
  told = Math.max(since ?? 0, ...entries.map(({ ts }) => ts));
  if (since === undefined || document.hasFocus()) return;
  const fresh = entries.filter(
    ({ ts, readAt, needs }) => ts > since && readAt === null && !(byPush && needs !== null),
  );
  if (fresh.length > most) return note("", `${fresh.length} new entries`, headline(fresh[0]!));
  for (const entry of fresh.reverse()) note(entry.id, whoOf(entry), headline(entry));
});

/** The same tag in every window: one notification. */
function note(id: string, title: string, body: string): void {
  const shown = new Notification(title, { body, tag: id || "inbox" });
  shown.onclick = () => {
    window.focus();
    go(id ? { tab: "inbox", id } : { tab: "inbox" });
    shown.close();
  };
}

/** Whoever signs out is told no more. */
export async function signOut(): Promise<void> {
  await unsubscribe().catch(() => {});
  forget();
  location.assign("/");
}

export function followNews(): void {
  if (notifies.value) void keepDevice();
  const again = () => void tell().catch(() => {}); // the line is down: it is told when it is back
  effect(() => {
    if (notifies.value) again();
    else told = undefined;
  });
  onEvent(({ eventType, payload }) => {
    if (eventType === "entry.pushed" || payload.to === "user") again();
  });
  onReload(again);
}
