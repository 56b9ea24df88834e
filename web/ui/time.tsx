/** Times as people say them. They grow old by themselves. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** The minute it is; whatever shows an age depends on it. */
const minute = signal(Date.now());
setInterval(() => {
  minute.value = Date.now();
}, 30_000);

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const short = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const dayName = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const yearName = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });

export const clockTime = (ms: number) => clock.format(ms);
export const fullTime = (ms: number) => full.format(ms);

const dayStart = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);

/** "Today", "Yesterday", "Wednesday, 12 November", and with the year where it is another. */
export function dayLabel(ms: number): string {
  const today = dayStart(minute.value);
  const day = dayStart(ms);
  if (day === today) return "Today";
  if (day === dayStart(today - 1)) return "Yesterday";
  return (new Date(ms).getFullYear() === new Date(today).getFullYear() ? dayName : yearName).format(ms);
}

/** The time of today, or else the day, where no heading tells it. */
export const whenOf = (ms: number) =>
  dayStart(ms) === dayStart(minute.value) ? clockTime(ms) : short.format(ms);

export { dayStart };

export function age(ms: number, now = minute.value): string {
  const seconds = Math.max(0, Math.round((now - ms) / 1000));
  if (seconds < 45) return "just now";
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  if (seconds < 7 * 86_400) return `${Math.round(seconds / 86_400)} d ago`;
  return short.format(ms);
}

export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** The second it is, while somebody looks at something that runs. */
const second = signal(Date.now());
let watching = 0;
let ticking: ReturnType<typeof setInterval> | undefined;

function useSeconds(): void {
  useEffect(() => {
    second.value = Date.now();
    if (watching++ === 0)
      ticking = setInterval(() => {
        second.value = Date.now();
      }, 1000);
    return () => {
      if (--watching === 0) clearInterval(ticking);
    };
  }, []);
}

/** For how long something runs. */
export function Elapsed({ since }: { since: string }) {
  useSeconds();
  return (
    <time dateTime={since} title={fullTime(Date.parse(since))}>
      {span(second.value - Date.parse(since))}
    </time>
  );
}

export const Age = ({ at }: { at: string | number }) => {
  const ms = typeof at === "number" ? at : Date.parse(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={fullTime(ms)}>
      {age(ms)}
    </time>
  );
};
