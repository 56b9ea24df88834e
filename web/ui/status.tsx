/** A thread's or a task's state, as a word in a colour. */
const tones: Record<string, string> = {
  blocked: "warn",
  in_progress: "accent",
  claimed: "accent",
  running: "accent",
  done: "good",
  finished: "good",
  failed: "bad",
  dead: "bad",
};

export const StatusTag = ({ status }: { status: string }) => (
  <span class="tag" data-tone={tones[status]}>
    {status.replace("_", " ")}
  </span>
);
