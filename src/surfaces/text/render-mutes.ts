/** What is muted. */
import type { Mute } from "../../contract/mute.ts";
import type { NounRenders } from "./noun-renders.ts";
import { inLine } from "./safe.ts";

const mutesText = (mutes: readonly Mute[]) =>
  mutes.length
    ? mutes.map(({ name, threadId }) => inLine(name ?? threadId ?? "")).join("\n")
    : "nothing is muted";

export const muteRenders: NounRenders<"mutes"> = {
  "mutes.add": ({ mutes }) => mutesText(mutes),
  "mutes.remove": ({ mutes }) => mutesText(mutes),
  "mutes.list": ({ mutes }) => mutesText(mutes),
};
