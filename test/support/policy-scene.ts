/** A bus with something of everybody's in it, for each kind of thing that an operation can act on. */
import { join } from "node:path";
import type { Access, Deed, ObjectKind, Relation } from "../../src/contract/access.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { type Scope, scopes } from "../../src/contract/token.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";

/** Whose a thing is, seen from the agent `me`. */
export const owners = ["own", "other's", "person's", "open"] as const;
export type Owner = (typeof owners)[number];

/** How a thing of each owner stands to `me`, said independently of the product. */
export function standing(kind: ObjectKind, owner: Owner, does: Deed): Relation {
  if (owner === "open") return kind === "message" && does === "read" ? "own" : "open";
  if (kind === "entry") return owner === "own" && does === "read" ? "own" : "person";
  if (owner === "own") return "own";
  if (kind === "workspace") return "person";
  // Threads and tasks are nobody's inbox: the person's are others' too.
  if (kind === "thread" || kind === "assignment" || kind === "task") return "other";
  return owner === "person's" ? "person" : "other";
}

export interface Scene {
  tokens: Record<Scope, string>;
  /** A new thing of that kind and owner: what an operation does to one must not decide about the next. */
  fresh(kind: ObjectKind, owner: Owner, scope: Scope): Promise<string | number>;
}

/** The agent that a token of a scope speaks for. */
export const agentOf = (scope: Scope) => `me-${scope}`;

export async function makeScene(inbox: Inbox, folder: string): Promise<Scene> {
  const { call } = inbox;
  const tokens = {} as Record<Scope, string>;
  for (const scope of scopes)
    tokens[scope] = (await call("tokens.create", { agent: agentOf(scope), scope })).token;
  await call("mailbox.send", { from: "other", to: "third", message: "hello" });
  await call("mailbox.send", { from: "third", to: "other", message: "hello" });
  const whoOf = (owner: Owner, scope: Scope) =>
    ({ own: agentOf(scope), "other's": "other", "person's": "user", open: "builds" })[owner];
  let made = 0;
  const workspaces = new Map<string, string>();
  const workspaceOf = async (agent: string) => {
    const there = workspaces.get(agent);
    if (there) return there;
    const { workspace } = await call("workspaces.add", { path: folder, label: agent, agent });
    workspaces.set(agent, workspace.workspaceId);
    return workspace.workspaceId;
  };
  const makers: Record<ObjectKind, (who: string, owner: Owner) => Promise<string | number>> = {
    inbox: async (who) => who,
    channel: async (who) => who,
    pool: async (who, owner) => (owner === "own" ? `crew-${++made}` : who),
    message: async (who) =>
      (await call("messages.send", { channel: who, content: "secret", sender: "third" })).id,
    thread: async (who) =>
      (await call("threads.send", { from: "third", to: who, subject: "secret" })).thread.threadId,
    // Who is only a party to a thread does not decide who has it.
    assignment: async (who, owner) => {
      const [from, to] = owner === "own" ? [who, "third"] : ["third", who];
      return (await call("threads.send", { from, to, subject: "secret" })).thread.threadId;
    },
    task: async (who) => {
      const name = `task-${++made}`;
      await call("tasks.push", { agent: who, name, prompt: "true", profile: "sh", cwd: folder });
      return name;
    },
    entry: async (who, owner) => {
      if (owner === "person's") {
        await call("mailbox.send", { from: "third", to: "user", message: "secret" });
        return (await call("entries.history", { limit: 1 })).entries[0]!.id;
      }
      return (await call("entries.push", { workspace: await workspaceOf(who), comments: "secret" })).id;
    },
    workspace: (who) => workspaceOf(who),
  };
  return {
    tokens,
    fresh: (kind, owner, scope) => makers[kind](whoOf(owner, scope), owner),
  };
}

/** What an operation needs besides the thing itself. */
const needed: Record<string, Record<string, unknown>> = {
  "threads.send": { kind: "progress", summary: "s" },
  "threads.reply": { summary: "s" },
  "threads.update": { status: "in_progress", summary: "s" },
  "threads.waitReply": { timeoutSeconds: 0.001 },
  "events.watch": { timeoutSeconds: 0 },
  "threads.claim": {},
  "threads.reassign": { to: "somebody" },
  "messages.wait": { timeoutSeconds: 0 },
  "entries.reply": { message: "m" },
  "entries.push": { comments: "c" },
  "tasks.edit": { prompt: "true" },
  "tasks.move": { to: 1 },
  "tasks.handoff": { timeoutSeconds: 0 },
  "tasks.send": { message: "m" },
  "mailbox.answer": { message: "m" },
};

export interface Case {
  op: AnyOperation;
  kind: ObjectKind;
  field: string;
  owner: Owner;
  scope: Scope;
  allowed: boolean;
  input(id: string | number): Record<string, unknown>;
}

/** An operation may do more to a thing, or act on another, where its input says so. */
const waysOf = (op: AnyOperation, access: Extract<Access, { by: unknown }>) => [
  { on: access.on, does: access.does, mark: {} },
  ...(access.marking ? [{ on: access.on, does: access.marking, mark: { [op.marks!.with]: true } }] : []),
  ...(access.forced ? [{ on: access.forced, does: access.does, mark: { force: true } }] : []),
];

/** Every operation that names something, every scope, everybody's: made from the operation table. */
export function casesOf(allows: (scope: Scope, relation: Relation, deed: Deed) => boolean): Case[] {
  const cases: Case[] = [];
  for (const op of table as readonly AnyOperation[]) {
    const access = op.access as Access;
    if (!("by" in access)) continue;
    for (const field of [access.by].flat())
      for (const { on, does, mark } of waysOf(op, access))
        for (const owner of owners)
          for (const scope of scopes) {
            const kind: ObjectKind = field === "channel" ? "channel" : on;
            // Who may join the person's own name as a pool would be a party to what is the person's.
            if (kind === "pool" && owner === "person's") continue;
            if (owner === "open" && kind !== "channel" && kind !== "message") continue;
            const relation = standing(kind, owner, does);
            const starts = access.starts === true && scope === "worker";
            cases.push({
              op,
              kind,
              field,
              owner,
              scope,
              allowed: !starts && allows(scope, relation, does),
              input: (id) => ({ ...needed[op.name], ...mark, [field]: id }),
            });
          }
  }
  return cases;
}

export const profilesText = '[runners.sh]\ncommand = ["sh", "-c", "{prompt}"]\n';
export const profilesFile = (folder: string) => join(folder, "agents.toml");
