/** [L4.3] The result of a holder that was replaced. It is not the result of the thread. */
import type { Mail } from "../../contract/mail.ts";

export const isLate = ({ kind, threadId, metadata }: Mail) =>
  kind === "event" && threadId !== null && metadata.late === true;

export const lateText = ({ threadId }: Mail, emphasis = (text: string) => text) =>
  `${emphasis("late result")} of ${threadId}: its sender no longer held the thread`;
