/** What is unread, seen from outside: the window's title and icon, and a notification where the person wants them. */
import { effect, signal } from "@preact/signals";
import { shownCount, unread } from "./data/counts.ts";
import { onNews } from "./data/entries.ts";
import { headline, whoOf } from "./inbox/words.ts";
import { go, place } from "./router.ts";
import { tabNames } from "./tabs.ts";

const key = "inbox-notify";
export const canNotify = "Notification" in window;
export const notifies = signal(
  canNotify && Notification.permission === "granted" && localStorage.getItem(key) === "yes",
);

/** Turning it on asks the person; browsers let a page ask only when it was clicked. */
export async function toggleNotifications(): Promise<void> {
  const wanted = !notifies.value && (await Notification.requestPermission()) === "granted";
  notifies.value = wanted;
  localStorage.setItem(key, wanted ? "yes" : "no");
}

function drawIcon(count: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')!;
  link.dataset.plain ??= link.href;
  const canvas = document.createElement("canvas");
  canvas.width = 64;
  canvas.height = 64;
  const pen = canvas.getContext("2d");
  if (!count || !pen) {
    link.href = link.dataset.plain;
    return;
  }
  const plain = new Image();
  plain.onload = () => {
    pen.drawImage(plain, 0, 0, 64, 64);
    pen.fillStyle = "#e5484d";
    pen.beginPath();
    pen.arc(46, 18, 18, 0, 2 * Math.PI);
    pen.fill();
    pen.fillStyle = "#fff";
    pen.font = `bold ${count > 9 ? 22 : 28}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(count > 99 ? "99" : String(count), 46, 19);
    link.href = canvas.toDataURL("image/png");
  };
  plain.src = link.dataset.plain;
}

export function followAttention(): void {
  effect(() => {
    const count = unread.value;
    document.title = `${count ? `(${shownCount(count)}) ` : ""}${tabNames[place.value.tab]}`;
  });
  effect(() => drawIcon(unread.value));
  onNews((entry) => {
    if (!notifies.value || document.hasFocus()) return;
    // The same tag in every window: one notification.
    const note = new Notification(whoOf(entry), { body: headline(entry), tag: entry.id });
    note.onclick = () => {
      window.focus();
      go({ tab: "inbox", id: entry.id });
    };
  });
}
