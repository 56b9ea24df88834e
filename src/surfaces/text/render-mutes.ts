/** What is muted. */
import type { Mute } from "../../contract/mute.ts";
import type { NounRenders } from "./noun-renders.ts";
import { inLine } from "./safe.ts";

const mutesText = (mutes: readonly Mute[]) =>
  mutes.length
    ? `muted now: ${mutes.map(({ name, threadId }) => inLine(name ?? threadId ?? "")).join(", ")}`
    : "nothing is muted";

export const muteRenders: NounRenders<"mutes"> = {
  "mutes.add": ({ already, mutes }) => `${already ? "already muted" : "muted"}; ${mutesText(mutes)}`,
  "mutes.remove": ({ already, mutes }) => `${already ? "was not muted" : "unmuted"}; ${mutesText(mutes)}`,
  "mutes.list": ({ mutes }) => mutesText(mutes),
};
