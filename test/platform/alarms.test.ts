/** The timers of waits, which share one timer of the runtime. */
import { expect, test } from "bun:test";
import { after, cancelAlarm, nextAlarm, setAlarm } from "../../src/platform/quiet.ts";
import { until } from "../support/until.ts";

const alarmOf = (rung: number[], name: number) => ({ at: 0, place: -1, ring: () => void rung.push(name) });

test("[W3] alarms ring in the order of their times, whichever order they were set in; cancelled ones do not", async () => {
  const rung: number[] = [];
  const alarms = Array.from({ length: 200 }, (_, i) => alarmOf(rung, i));
  for (const [i, alarm] of alarms.entries()) setAlarm(alarm, 20 + ((i * 73) % 200));
  const isCancelled = (i: number) => i % 3 === 0;
  for (const [i, alarm] of alarms.entries())
    if (isCancelled(i)) {
      cancelAlarm(alarm);
      cancelAlarm(alarm);
    }
  const expected = [...alarms.keys()]
    .filter((i) => !isCancelled(i))
    .sort((a, b) => alarms[a]!.at - alarms[b]!.at);
  expect(nextAlarm()).toBe(alarms[expected[0]!]!.at);
  await until("all have rung", () => rung.length >= expected.length);
  expect(rung).toEqual(expected);
  expect(alarms.every(({ place }) => place === -1)).toBe(true);
  expect(nextAlarm()).toBe(Number.POSITIVE_INFINITY);
});

test("[W3] an alarm that is set again rings once, at its new time", async () => {
  const rung: number[] = [];
  const alarm = alarmOf(rung, 1);
  setAlarm(alarm, 60_000);
  setAlarm(alarm, 5);
  await until("it has rung", () => rung.length > 0);
  expect(rung).toEqual([1]);
  expect(nextAlarm()).toBe(Number.POSITIVE_INFINITY);
});

test("[W3] an alarm that is set before an earlier one was due, and one from within another", async () => {
  const rung: string[] = [];
  after(1000, () => void rung.push("late"));
  after(5, () => {
    rung.push("early");
    after(5, () => void rung.push("between"));
  });
  await until("all have rung", () => rung.length === 3);
  expect(rung).toEqual(["early", "between", "late"]);
});

test("[W3] a process with nothing but a cancelled alarm ends", async () => {
  const script = `const { after } = await import(${JSON.stringify(`${import.meta.dir}/../../src/platform/quiet.ts`)});
    const cancel = after(60_000, () => {});
    after(1, cancel);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "inherit", "inherit"] });
  expect(await child.exited).toBe(0);
});
