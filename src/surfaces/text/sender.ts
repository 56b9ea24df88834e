/** [X13] The sender of a message, and whether a token proves it. */
import { oneLine } from "./safe.ts";

export const senderText = (name: string, verified: boolean, emphasis = (text: string) => text) =>
  `${emphasis(oneLine(name))}${verified ? "" : " (not verified)"}`;
