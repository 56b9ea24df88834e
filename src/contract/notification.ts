/** [U15] Where push notifications to the person's devices are sent: what a browser's PushManager returns (RFC 8030, RFC 8291). */
import * as v from "valibot";
import { described } from "./fields.ts";

/** Bytes as base64url. */
const bytes = (length: number, problem: string) =>
  v.pipe(
    v.string(problem),
    v.check((text) => /^[\w-]+$/.test(text) && Math.floor((text.length * 3) / 4) === length, problem),
  );

export const endpoint = () =>
  described(
    v.pipe(
      v.string("must be text"),
      v.maxLength(2000, "must be at most 2000 characters"),
      v.check((text) => /^https?:$/.test(protocolOf(text)), "must be the address of a push service"),
    ),
    { type: "text", value: "URL", help: "the subscription's address at its push service" },
  );

const protocolOf = (text: string) => (URL.canParse(text) ? new URL(text).protocol : "");

export const p256dh = () =>
  described(bytes(65, "must be a P-256 public key: 65 bytes as base64url"), {
    type: "text",
    value: "KEY",
    help: "the subscription's public key",
  });

export const authSecret = () =>
  described(bytes(16, "must be 16 bytes as base64url"), {
    type: "text",
    value: "SECRET",
    help: "the subscription's authentication secret",
  });

/** A person has a few devices; the oldest subscription is removed first. */
export const subscriptionLimit = 20;

/** The content of a notification: enough to decide whether to look. */
export interface Notice {
  title: string;
  body: string;
  /** The entry. */
  id: string;
}
