/** A message in the mailbox view: what a receiver gets. The same record as in message.ts. */
import * as v from "valibot";
import { needs } from "./combinations.ts";
import { choice, flag, integer, name } from "./fields.ts";
import { kinds, shownInEveryView } from "./message.ts";
import { field, phrase } from "./phrase.ts";
import { unknown } from "./recipient.ts";

export const mail = () =>
  v.strictObject({
    id: v.number(),
    senderId: v.string(),
    message: v.string(),
    /** If the message is a body with its own summary. */
    summary: v.optional(v.string()),
    createdAt: v.string(),
    threadId: v.nullable(v.string()),
    kind: v.picklist(kinds),
    correlationId: v.nullable(v.string()),
    metadata: v.record(v.string(), v.unknown()),
    redelivered: v.boolean(),
    ...shownInEveryView(),
  });

export type Mail = v.InferOutput<ReturnType<typeof mail>>;

/** The same with the names of the protocol that calls an agent a terminal, as far as all its surfaces agree. */
export const terminalMail = ({ id, senderId, message, summary, createdAt, senderVerified }: Mail) => ({
  id,
  sender_id: senderId,
  message,
  ...(summary !== undefined && { summary }),
  created_at: createdAt,
  sender_verified: senderVerified,
});

/** How a hand-over ends: acked when it is shown, or hidden until the reader acks each message itself ([B3]). */
const ackMode = () =>
  v.optional(
    choice(
      ["auto", "manual"],
      "when a message counts as collected: auto: as soon as it is printed; manual: when you acknowledge it (default: auto)",
    ),
    "auto",
  );

/** For how long mail that its reader acks is hidden from other readers, by default. */
export const visibilityDefault = 60;

const visibilitySeconds = () =>
  v.optional(
    integer(
      phrase`with ${field("ack", "manual")}: delivered again unless acknowledged within N seconds (default: ${visibilityDefault})`,
      {
        min: 1,
        max: 7 * 86_400,
      },
    ),
  );

/** How collected messages are acked. */
export const acking = () => ({ ack: ackMode(), visibilitySeconds: visibilitySeconds() });
export const ackCombinations = [needs("visibilitySeconds", "ack", "manual")] as const;

/** How many messages are collected at once by default. */
export const collected = (usual: number) =>
  v.optional(
    integer(`maximum number of messages to collect (default: ${usual})`, { min: 1, max: mailLimit }),
    usual,
  );

export const mailbox = () => name("the owner of the inbox", "AGENT");
export const fromSender = () => v.optional(name("only mail from this agent", "AGENT"));
export const lifo = () => flag("newest first");

/** The answer of every way of collecting. `hidden`: handed over to a reader and not acked yet. */
export const mailAnswer = () =>
  v.strictObject({
    woke: v.boolean(),
    nextEventId: v.number(),
    messages: v.array(mail()),
    total: v.number(),
    hidden: v.number(),
    /** If there is no mail. */
    unknown: unknown(),
  });

export type MailAnswer = v.InferOutput<ReturnType<typeof mailAnswer>>;

/** If only the number of waiting messages is needed, it is counted up to this. */
export const mailLimit = 1000;
