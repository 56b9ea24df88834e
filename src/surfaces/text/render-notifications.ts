/** Devices that push notifications go to. */
import type { NounRenders } from "./noun-renders.ts";
import { inLine } from "./safe.ts";

export const notificationRenders: NounRenders<"notifications"> = {
  "notifications.key": ({ publicKey }) => publicKey ?? "no hub of this bus sends push notifications",
  "notifications.add": ({ endpoint, already }) =>
    `${inLine(endpoint)} ${already ? "already gets push notifications" : "gets push notifications from now on"}`,
  "notifications.remove": ({ endpoint, already }) =>
    `${inLine(endpoint)} ${already ? "did not get push notifications" : "gets no more push notifications"}`,
};
