/** [C5] What can be read by address: an agent's inbox, and a thread. Reading changes nothing. */
import { InboxError } from "../../contract/errors.ts";
import { permits } from "../../contract/token.ts";
import { plainPaint } from "../text/paint.ts";
import { render } from "../text/render.ts";
import type { Session } from "./call.ts";

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
];

/** Those that are worth a line of their own: one's own inbox. */
export const resourcesOf = ({ caller, agent }: Session) => {
  const who = caller.agent ?? agent;
  if (who === undefined) return [];
  const uri = `inbox://agents/${encodeURIComponent(who)}/inbox`;
  return [
    { uri, name: "Your inbox", description: "What waits for you, without taking it", mimeType: "text/plain" },
  ];
};

export async function readResource(session: Session, uri: string) {
  return { contents: [{ uri, mimeType: "text/plain", text: await textAt(session, uri) }] };
}

async function textAt({ inbox, caller, agent }: Session, uri: string): Promise<string> {
  const [, name] = /^inbox:\/\/agents\/([^/]+)\/inbox$/.exec(uri) ?? [];
  if (name !== undefined) {
    const whose = decoded(name);
    const who = caller.agent ?? agent;
    // One's own, or everybody's for who leads.
    if (who !== undefined && who !== whose && !(caller.scope && permits(caller.scope, "leader")))
      throw new InboxError("not_allowed", `you are "${who}" here; the inbox of "${whose}" is another's`);
    return render("mailbox.list", await inbox.call("mailbox.list", { agent: whose }), plainPaint);
  }
  const [, id] = /^inbox:\/\/threads\/([^/]+)$/.exec(uri) ?? [];
  if (id !== undefined)
    return render("threads.show", await inbox.call("threads.show", { thread: decoded(id) }), plainPaint);
  throw new InboxError("not_found", `there is no resource ${uri}`, {
    hint: "inbox://agents/NAME/inbox and inbox://threads/THREAD are what there is",
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
