/** Request headers of our own. A page of another origin cannot send one unless the hub allows it, and it never does. */

/** Marks a request of a client of the hub, as opposed to any web page. Any value. */
export const clientHeader = "x-inbox-client";
/** The value of that header if a model has typed the command ([A5.8]). */
export const modelsClient = "restante for a model";

/** [B4] A UUID of the caller for what this call hands over. */
export const handOverHeader = "x-inbox-hand-over";
