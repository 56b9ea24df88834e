/**
 * [M9] The keys that our own client generates for writes, unless the caller gives one. The client repeats a write for
 * some seconds, so such a key is soon useless; there is one for every write over a hub, and its answer is stored with
 * it.
 */
const begin = "call-";

export const newClientKey = () => `${begin}${crypto.randomUUID()}`;
export const isClientKey = (key: string) => key.startsWith(begin);
