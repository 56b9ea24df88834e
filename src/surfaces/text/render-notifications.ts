/** Devices that push notifications go to. */
import type { NounRenders } from "./noun-renders.ts";
import { inLine } from "./safe.ts";

export const notificationRenders: NounRenders<"notifications"> = {
  "notifications.key": ({ publicKey }) => publicKey ?? "no hub of this bus sends push notifications",
  "notifications.add": ({ endpoint, already }) =>
    `${inLine(endpoint)} ${already ? "is told already" : "is told from now on"}`,
  "notifications.remove": ({ endpoint, already }) =>
    `${inLine(endpoint)} ${already ? "was not told" : "is told no more"}`,
};
