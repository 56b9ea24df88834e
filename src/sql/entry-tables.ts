/** The tables of the person's inbox: its entries, and what it has muted. The others are in tables.ts. */
import type { EntryNeed } from "../contract/entry.ts";
import type { Kind } from "../contract/message.ts";
import type { MuteKind } from "../contract/mute.ts";
import { integer, serial, table, text } from "./table.ts";

export const entries = table("entries", ["entry_number"], () => ({
  entry_number: serial(),
  entry_id: text(),
  workspace_id: text().orNull(),
  workspace_label: text().orNull(),
  docs_json: text(),
  comments: text(),
  created_at: text(),
  read_at: text().orNull(),
  sender: text().orNull(),
  kind: text<Kind>().orNull(),
  thread_id: integer().orNull(),
  message_id: integer().orNull(),
  choices_json: text().orNull(),
  answered_at: text().orNull(),
  deleted_at: text().nullAtFirst(),
  /** [U10] Who gave the answer, and what it was. */
  answered_by: text().nullAtFirst(),
  answer: text().nullAtFirst(),
  /** [U11] What the person has to do about it; null if nothing. */
  needs: text<EntryNeed>().nullAtFirst(),
  /** [U11] Why the work that it reports has failed, as JSON. */
  failure_json: text().nullAtFirst(),
  /** [U12] */
  archived_at: text().nullAtFirst(),
  snoozed_at: text().nullAtFirst(),
  /** Null, with `snoozed_at`: until something new comes of its thread or its sender. */
  snoozed_until: text().nullAtFirst(),
}));

/** [U12] Agents (by name) and threads (by number) whose new entries go to the archive. */
export const mutes = table("mutes", ["kind", "name"], () => ({
  kind: text<MuteKind>(),
  name: text(),
  created_at: text(),
}));

/** [U15] The text of a document as the person last read it; it is deleted with the entry in which it was read. */
export const seenDocuments = table("seen_documents", ["workspace_id", "path"], () => ({
  workspace_id: text(),
  path: text(),
  entry_id: text(),
  seen_at: text(),
  text: text(),
}));

/** [U15] The key by which push services identify this bus; the first one that a hub creates is kept. */
export const notificationKeys = table("notification_keys", ["public_key"], () => ({
  public_key: text(),
  /** As JSON Web Key. */
  private_key: text(),
  created_at: text(),
}));

/** [U15] The person's devices that push notifications go to. */
export const notificationSubscriptions = table("notification_subscriptions", ["endpoint"], () => ({
  endpoint: text(),
  p256dh: text(),
  auth: text(),
  agent_id: text(),
  created_at: text(),
}));

export const erasedEntries = table("erased_entries", ["erased_number"], () => ({
  erased_number: serial(),
  entry_id: text(),
  entry_number: integer(),
  created_at: text(),
}));
