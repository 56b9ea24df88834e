/** Who and what takes part in an attack. Each name is used on every surface at once. */
export const desks = ["desk-0", "desk-1", "desk-2"];
export const topics = ["topic-0", "topic-1"];
export const pool = "crew";
