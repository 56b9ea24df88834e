/** Request headers of our own. A page of another origin cannot send one unless the hub allows it, and it never does. */

/** Says that a client of the hub's is calling, and not some page. Any value. */
export const clientHeader = "x-inbox-client";

/** [B4] A UUID of the caller's for what this call hands over. */
export const handOverHeader = "x-inbox-hand-over";
