/**
 * [M9] The keys that our own client gives its writes, unless their caller gives one. The client repeats a write for some seconds,
 * so such a key is soon of no use; there is one for every write over a hub, and with each its answer is stored.
 */
const begin = "call-";

export const newClientKey = () => `${begin}${crypto.randomUUID()}`;
export const isClientKey = (key: string) => key.startsWith(begin);
