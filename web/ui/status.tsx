/** A thread's or a task's state, as a word in a colour. */
const tones: Record<string, "warn" | "accent" | "good" | "bad"> = {
  blocked: "warn",
  in_progress: "accent",
  claimed: "accent",
  running: "accent",
  done: "good",
  finished: "good",
  failed: "bad",
  dead: "bad",
  killed: "bad",
  "timed out": "bad",
  "sent back": "bad",
  "not started": "bad",
  "over budget": "bad",
  skipped: "warn",
  "to be retried": "warn",
};

export const toneOf = (status: string) => tones[status];

export const StatusTag = ({ status }: { status: string }) => (
  <span class="tag" data-tone={tones[status]}>
    {status.replace("_", " ")}
  </span>
);
