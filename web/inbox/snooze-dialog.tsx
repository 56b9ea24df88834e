/** Until when an entry is to be out of sight. */
import type { Entry } from "../data/entries.ts";
import { snooze } from "../data/entry-actions.ts";
import { choose } from "../ui/menu.tsx";
import { dayStart } from "../ui/time.tsx";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const when = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});

/** A clock time some days from now, which the change to summer time does not move. */
const at = (days: number, hour: number) => {
  const day = new Date(dayStart(Date.now()));
  day.setDate(day.getDate() + days);
  day.setHours(hour);
  return day;
};

/** Whether a time was chosen. */
export function askSnooze(entries: readonly Entry[]): Promise<boolean> {
  const now = Date.now();
  const evening = at(0, 18);
  const untilMonday = (8 - new Date().getDay()) % 7 || 7;
  const times: [string, Date][] = [
    ["In an hour", new Date(now + hourMs)],
    evening.getTime() - now > hourMs
      ? ["This evening", evening]
      : ["In four hours", new Date(now + 4 * hourMs)],
    ["Tomorrow morning", at(1, 8)],
    ["In three days", new Date(now + 3 * dayMs)],
    ["On Monday", at(untilMonday, 8)],
  ];
  return choose("Snooze", [
    ...times.map(([name, until]) => ({
      name,
      hint: when.format(until),
      run: () => void snooze(entries, `until ${when.format(until)}`, until),
    })),
    {
      name: "Until something new comes",
      hint: entries.length === 1 && entries[0]!.threadId ? "of its thread" : "of its sender",
      run: () => void snooze(entries, "until something new comes"),
    },
  ]);
}
