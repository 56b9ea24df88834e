/** What the top of the file limits, for all profiles together. */
import type { Profiles } from "./profile.ts";
import type { Reader } from "./table-reader.ts";

export const limitKeys = ["max_running", "max_transcript_mib"];

export const limitsIn = (top: Reader): Pick<Profiles, "maxRunning" | "maxTranscriptMib"> => ({
  // Many, for those that wait for their own count too.
  maxRunning: top.number("max_running", 1, true) ?? 100,
  maxTranscriptMib: top.number("max_transcript_mib", 1, true) ?? 1024,
});
