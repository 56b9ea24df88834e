/** The environment of a program whose clock is wrong; undefined where `faketime` is not installed. */

/** `by`: as `faketime -f` takes it, `+1h`. What `faketime` puts before a program; itself it would stay in between, and outlive its end. */
export function fakeTime(by: string): Record<string, string> | undefined {
  if (!Bun.which("faketime")) return undefined;
  const asked = Bun.spawnSync(["faketime", "-f", by, "printenv", "LD_PRELOAD"]);
  const library = asked.stdout.toString().trim();
  // Durations stay as long as they are.
  return {
    LD_PRELOAD: library,
    FAKETIME: by,
    DONT_FAKE_MONOTONIC: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}

export const anHourAhead = fakeTime("+1h");
if (!anHourAhead) console.warn("SKIPPED: processes with different clocks, for faketime is not installed");
