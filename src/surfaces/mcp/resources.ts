/** [C5] Resources: an agent's inbox, and a thread. Reading them changes nothing. */
import { InboxError } from "../../contract/errors.ts";
import type { Caller } from "../../inbox/caller.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { inTools } from "../spelling/tools.ts";
import { plainPaint } from "../text/paint.ts";
import { render } from "../text/render.ts";
import type { Session } from "./call.ts";
import { skillAt, skillResources } from "./skills.ts";
import { toolText } from "./text.ts";

export const resourceTemplates = [
  {
    uriTemplate: "inbox://agents/{name}/inbox",
    name: "An agent's inbox",
    description: "What waits for an agent, without taking it",
    mimeType: "text/plain",
  },
  {
    uriTemplate: "inbox://threads/{id}",
    name: "A thread",
    description: "A whole work conversation: status, holder, every message",
    mimeType: "text/plain",
  },
  {
    uriTemplate: "inbox://messages/{id}",
    name: "A message",
    description: "One message at its full length",
    mimeType: "text/plain",
  },
];

export const inboxAddress = (agent: string) => `inbox://agents/${encodeURIComponent(agent)}/inbox`;
export const threadAddress = (id: string) => `inbox://threads/${encodeURIComponent(id)}`;

/** The resources that are listed: the caller's own inbox, and the skills. */
export const resourcesOf = async ({ caller, agent }: Session) => {
  const who = caller.agent ?? agent;
  const skills = await skillResources();
  if (who === undefined) return skills;
  const uri = inboxAddress(who);
  const own = {
    uri,
    name: "Your inbox",
    description: "What waits for you, without taking it",
    mimeType: "text/plain",
  };
  return [own, ...skills];
};

export async function readResource(session: Session, uri: string) {
  const skill = skillAt(uri);
  if (skill !== undefined) return { contents: [{ uri, mimeType: "text/markdown", text: skill }] };
  return { contents: [{ uri, mimeType: "text/plain", text: await textAt(session, uri) }] };
}

type Reader = Pick<Session, "inbox" | "caller" | "agent">;

/**
 * Whether an address can be a resource; its thread or agent may not exist yet. [X10] With a token, also whether it
 * may be read: a notification that something changed tells a little about it.
 */
export async function checkAddress(reader: Reader, uri: string): Promise<void> {
  if (inboxIn(uri) === undefined && threadIn(uri) === undefined) throw nothingAt(uri);
  if (reader.caller.agent === undefined) return;
  try {
    await textAt(reader, uri);
  } catch (error) {
    if (error instanceof InboxError && error.code === "not_allowed") throw error;
  }
}

async function textAt({ inbox, caller, agent }: Reader, uri: string): Promise<string> {
  const whose = inboxIn(uri);
  if (whose !== undefined) {
    const who = caller.agent ?? agent;
    // With a token, its scope decides.
    if (caller.agent === undefined && who !== undefined && who !== whose)
      throw new InboxError("not_allowed", `you are "${who}" here; the inbox of "${whose}" is another's`);
    return render(
      "mailbox.list",
      await inbox.call("mailbox.list", { agent: whose }, { caller }),
      plainPaint,
      inTools,
    );
  }
  const thread = threadIn(uri);
  if (thread !== undefined)
    return render(
      "threads.show",
      await inbox.call("threads.show", { thread }, { caller }),
      plainPaint,
      inTools,
    );
  const id = part(uri, /^inbox:\/\/messages\/(?:msg_)?(\d+)$/);
  if (id !== undefined) return wholeMessage(inbox, Number(id), caller);
  throw nothingAt(uri);
}

/** It is read in pieces, and returned as one. */
async function wholeMessage(inbox: Inbox, id: number, caller: Caller): Promise<string> {
  const read = (offset: number) => inbox.call("messages.read", { id, offset }, { caller });
  const whole = await read(0);
  while (whole.message.content.length < whole.total) {
    const { message } = await read(whole.message.content.length);
    whole.message.content += message.content;
  }
  return toolText("messages.read", whole);
}

const inboxIn = (uri: string) => part(uri, /^inbox:\/\/agents\/([^/]+)\/inbox$/);
const threadIn = (uri: string) => part(uri, /^inbox:\/\/threads\/([^/]+)$/);
const part = (uri: string, pattern: RegExp) => {
  const [, found] = pattern.exec(uri) ?? [];
  return found === undefined ? undefined : decoded(found);
};

const nothingAt = (uri: string) =>
  new InboxError("not_found", `there is no resource ${uri}`, {
    hint: "inbox://agents/NAME/inbox, inbox://threads/THREAD and inbox://messages/ID are the resources",
  });

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
