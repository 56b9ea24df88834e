/** What needs the person, seen from outside: the window's title and icon. */
import { effect } from "@preact/signals";
import { attention, shownCount } from "./data/counts.ts";
import { place } from "./router.ts";
import { tabNames } from "./tabs.ts";

let drawn = 0;

function drawIcon(count: number): void {
  const mine = ++drawn;
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
    if (mine !== drawn) return; // the count is another by now
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
    const count = attention.value;
    document.title = `${count ? `(${shownCount(count)}) ` : ""}${tabNames[place.value.tab]} · Restante`;
  });
  effect(() => drawIcon(attention.value));
}
