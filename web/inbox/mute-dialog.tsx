/** What is to be heard no more: the agent, or only this thread. */
import type { Entry } from "../data/entries.ts";
import { mute } from "../data/entry-actions.ts";
import { choose } from "../ui/menu.tsx";
import { say } from "../ui/toasts.tsx";

export function askMute({ sender, threadId }: Entry): void {
  const choices = [
    ...(threadId
      ? [{ name: `This thread (${threadId})`, run: () => void mute({ thread: threadId }, threadId) }]
      : []),
    ...(sender
      ? [{ name: `Everything from ${sender}`, run: () => void mute({ name: sender }, sender) }]
      : []),
  ];
  if (choices.length) void choose("Mute: new entries go to the archive, except questions", choices);
  else say({ text: "Nobody can be muted here: the entry has no sender" });
}
