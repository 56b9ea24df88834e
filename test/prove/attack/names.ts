/** Who and what takes part in an attack. Each name is used on every surface at once. */
export const desks = ["desk-0", "desk-1", "desk-2"];
export const topics = ["topic-0", "topic-1"];
/** Each read by one receiver only, who waits: they show how long it takes to be woken. */
export const sleepers = ["sleeper-0", "sleeper-1"];
export const pool = "crew";
