/** [X13] Who wrote something, and whether a token vouches for it. */
import { oneLine } from "./safe.ts";

export const senderText = (name: string, verified: boolean, emphasis = (text: string) => text) =>
  `${emphasis(oneLine(name))}${verified ? "" : " (not verified)"}`;
