/** The environment of a program whose clock is an hour ahead; undefined where `faketime` is not installed. */

/** What `faketime` puts before a program; itself it would stay in between, and outlive its end. */
function ahead(): Record<string, string> | undefined {
  if (!Bun.which("faketime")) return undefined;
  const asked = Bun.spawnSync(["faketime", "-f", "+1h", "printenv", "LD_PRELOAD"]);
  const library = asked.stdout.toString().trim();
  // Durations stay as long as they are.
  return {
    LD_PRELOAD: library,
    FAKETIME: "+1h",
    DONT_FAKE_MONOTONIC: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}

export const anHourAhead = ahead();
if (!anHourAhead) console.warn("SKIPPED: processes with different clocks, for faketime is not installed");
