/**
 * [X10] Who may do what, if tokens are used. An operation declares what it acts on (`access`); the caller's relation
 * to that is looked up (bus/access.ts); this table says what a scope may do then. It is enforced in one place
 * (src/inbox/access.ts).
 */
import type { Scope } from "./token.ts";

export const deeds = ["read", "change"] as const;
export type Deed = (typeof deeds)[number];

/**
 * How something stands to a caller.
 *   own: its inbox and its pools', threads it is a party to or may claim, what it sent, its tasks and theirs, its workspace
 *   open: a topic that is no agent's inbox, with what was sent to it outside threads
 *   person: the person's inbox and workspaces
 *   other: everything else
 */
export const relations = ["own", "open", "person", "other"] as const;
export type Relation = (typeof relations)[number];

/** The most that a scope may do with a thing, by the caller's relation to it; null: nothing. */
export const policy: Record<Scope, Record<Relation, Deed | null>> = {
  worker: { own: "change", open: "change", person: null, other: null },
  leader: { own: "change", open: "change", person: "read", other: "change" },
  user: { own: "change", open: "change", person: "change", other: "read" },
  admin: { own: "change", open: "change", person: "change", other: "change" },
};

export const allows = (scope: Scope, relation: Relation, deed: Deed): boolean =>
  policy[scope][relation] === "change" || policy[scope][relation] === deed;

/** What an operation's input names by an id or a name. An assignment concerns a thread: its creator decides who has it. */
export const objects = [
  "inbox",
  "channel",
  "pool",
  "message",
  "thread",
  "assignment",
  "task",
  "entry",
  "workspace",
] as const;
export type ObjectKind = (typeof objects)[number];

export type Access<Field extends string = string> =
  /** The same for every caller. */
  | { on: "everybody" }
  /** The bus as a whole: only for these scopes. */
  | { on: "bus"; scopes: readonly Scope[] }
  /** What the caller itself has or makes. `starts`: it starts programs, which only leaders and sub-agents may. */
  | {
      on: "own";
      starts?: true;
      /** If this flag is given, it also acts on something that a field names. */
      with?: { flag: Field; on: ObjectKind; by: Field; does: Deed };
    }
  /** Many things: the answer has only those that the caller may read. */
  | { on: "visible" }
  /** The whole of the person's inbox. */
  | { on: "person"; does: Deed }
  /**
   * The thing or things that these fields name; if none of them is given, the caller's own. `forced`: what it acts on
   * instead if the input has `force`.
   */
  | {
      on: ObjectKind;
      by: Field | readonly Field[];
      does: Deed;
      marking?: "change";
      starts?: true;
      forced?: ObjectKind;
    };

/** Which things a call acts on, and how. */
export interface Target {
  kind: ObjectKind;
  id: string | number;
  does: Deed;
}

/** The operation says the kind of a field, except for a channel beside a message's number. */
const kindOfField = (kind: ObjectKind, field: string): ObjectKind => (field === "channel" ? "channel" : kind);

export function targetsOf(
  access: Access,
  input: Readonly<Record<string, unknown>>,
  marking: boolean,
): readonly Target[] {
  if ("with" in access && access.with && input[access.with.flag] === true) {
    const { flag: _, ...also } = access.with;
    return targetsOf(also, input, marking);
  }
  if (!("by" in access)) return [];
  const does = marking ? (access.marking ?? access.does) : access.does;
  const on = input.force === true ? (access.forced ?? access.on) : access.on;
  const fields = typeof access.by === "string" ? [access.by] : access.by;
  return fields.flatMap((field) => {
    const id = input[field];
    return typeof id === "string" || typeof id === "number"
      ? [{ kind: kindOfField(on, field), id, does }]
      : [];
  });
}

export const scopesThat = (relation: Relation, deed: Deed): Scope[] =>
  (Object.keys(policy) as Scope[]).filter((scope) => allows(scope, relation, deed));
