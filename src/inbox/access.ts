/**
 * [X2] [X10] What a caller may do. A caller with a token cannot act as another agent, and each transaction first
 * checks whether the call may act on what it names: here, for every surface.
 */
import { relationOf } from "../bus/access.ts" with { load: "when-called" };
import { allows, type Relation, scopesThat, type Target, targetsOf } from "../contract/access.ts";
import { InboxError } from "../contract/errors.ts";
import { type AnyOperation, marking } from "../contract/operation.ts";
import { call, phrase } from "../contract/phrase.ts";
import type { Surface } from "../contract/question.ts";
import type { Scope } from "../contract/token.ts";
import type { Engine, Work } from "../engines/engine.ts";
import { calledBy } from "../sql/plain.ts";
import { known, type Procedure } from "../sql/procedure.ts";

export interface Caller {
  agent?: string;
  scope?: Scope;
  /** The token was lent to a sub-agent for as long as it runs. */
  subAgent?: boolean;
  /** [A7] The surface through which it calls. */
  surface?: Surface;
  /** [A5.8] A model calls, from the shell of an agent program. Over MCP one always does. */
  byModel?: boolean;
}

/** Puts the caller into the field that says who acts, and refuses what its scope never allows. */
export function actAs(caller: Caller, op: AnyOperation, input: Record<string, unknown>): void {
  const { agent, scope } = caller;
  if (agent === undefined || scope === undefined) return;
  mayAtAll(caller, op);
  // A reader's position belongs to the reader, although everybody may read.
  const whose = marking(op, input) ? op.marks?.whose : undefined;
  if (whose !== undefined && input[whose] !== agent)
    throw new InboxError(
      "not_allowed",
      `this token belongs to "${agent}" and cannot act as the ${whose} "${String(input[whose])}"`,
      { hint: `give "${agent}" as the ${whose}, or use a token of "${String(input[whose])}"` },
    );
  const key = op.cli.identity;
  if (key === undefined) return;
  const named = input[key];
  if (named !== undefined && named !== agent) {
    // Names the owner of an inbox, not the caller: whether the caller may read it depends on their relation.
    if ("by" in op.access && op.access.by === key) return;
    throw new InboxError(
      "not_allowed",
      `this token belongs to "${agent}" and cannot act as "${String(named)}"`,
      {
        hint: `act as "${agent}", or use a token of "${String(named)}"`,
      },
    );
  }
  input[key] = agent;
}

/** Whether a caller can ever use an operation: only then it is offered. */
export function mayUse({ scope, subAgent }: Caller, { access }: AnyOperation): boolean {
  if (scope === undefined) return true;
  if (access.on === "bus") return access.scopes.includes(scope);
  if (access.on === "person") return allows(scope, "person", access.does);
  return !("starts" in access && access.starts) || scope !== "worker" || subAgent === true;
}

function mayAtAll(caller: Caller, op: AnyOperation): void {
  if (mayUse(caller, op)) return;
  const { access } = op;
  const scopes =
    access.on === "bus"
      ? access.scopes
      : access.on === "person"
        ? scopesThat("person", access.does)
        : (["leader", "user", "admin"] as const);
  throw new InboxError(
    "not_allowed",
    phrase`${call(op.name)} requires a token with another scope: the token of "${String(caller.agent)}" has the scope ${String(caller.scope)}`,
    { hint: `use a token with the scope ${alternatives(scopes)}`, details: { scopes: [...scopes] } },
  );
}

/** The engine, as one caller may use it for one call. */
export function engineFor(
  engine: Engine,
  caller: Caller,
  op: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): Engine {
  const { agent, scope, surface, byModel = surface === "mcp" } = caller;
  if (agent !== undefined && scope !== undefined)
    return permitted(engine, { agent, scope, surface }, op, input);
  return surface === undefined ? engine : calledThrough(engine, surface, byModel);
}

function permitted(
  engine: Engine,
  { agent, scope, surface }: Caller & { agent: string; scope: Scope },
  op: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): Engine {
  const targets = targetsOf(op.access, input, marking(op, input));
  const viewer = allows(scope, "other", "read") ? {} : { viewer: agent };
  const checked = <T>(work: Work<T>): Work<T> =>
    function* (tx) {
      for (const target of targets) yield* permit(agent, scope, target);
      return yield* work({ ...tx, verified: true, surface, ...viewer });
    };
  // What is settled is asked before anything else is read, and so before the permission.
  const settledFirst = <T>(work: Work<T>): Work<T> =>
    function* (tx) {
      const last = yield* tx.settled();
      return yield* checked(work)({ ...tx, settled: () => known(last) });
    };
  const asks = targets.some(({ does }) => !mayAll(scope, does));
  return { ...through(engine, checked), ...(asks && { read: (work) => engine.read(settledFirst(work)) }) };
}

/** By surface, and by whom: each call without a token would make the same. */
const surfaces = new WeakMap<Engine, Map<string, Engine>>();

function calledThrough(engine: Engine, surface: Surface, byModel: boolean): Engine {
  const known = surfaces.get(engine) ?? new Map<string, Engine>();
  const way = byModel ? `${surface} by a model` : surface;
  const before = known.get(way);
  if (before) return before;
  const named =
    <T>(work: Work<T>): Work<T> =>
    (tx) => {
      // the context is this call's own
      tx.surface = surface;
      tx.byModel = byModel;
      return work(tx);
    };
  const made = through(engine, named, true);
  surfaces.set(engine, known.set(way, made));
  return made;
}

/** `plainly`: the plain case of a write needs no change. */
const through = (engine: Engine, changed: <T>(work: Work<T>) => Work<T>, plainly = false): Engine => ({
  ...engine,
  read: (work) => engine.read(changed(work)),
  asCaller: (work) => engine.asCaller(changed(work)),
  write(work, options) {
    if (!options?.plain) return engine.write(changed(work), options);
    const plain = plainly ? calledBy(options.plain, changed) : undefined;
    return engine.write(changed(work), { ...options, plain });
  },
});

/** A caller that may do it with everything need not be checked. */
const mayAll = (scope: Scope, does: Target["does"]) =>
  allows(scope, "other", does) && allows(scope, "person", does);

export function* permit(agent: string, scope: Scope, target: Target): Procedure<void> {
  if (mayAll(scope, target.does)) return;
  const relation = yield* relationOf(agent, target);
  if (!allows(scope, relation, target.does)) throw forbidden(agent, scope, target, relation);
}

const whose: Record<Relation, string> = {
  own: "its own",
  open: "nobody's",
  person: "the person's",
  other: "another agent's",
};

/** `leader, user or admin` */
const alternatives = (scopes: readonly Scope[]) =>
  new Intl.ListFormat("en-GB", { type: "disjunction" }).format(scopes);

/** An assignment is a thread, as its id says. */
const nounOf = (kind: Target["kind"]) => (kind === "assignment" ? "thread" : kind);

const forbidden = (agent: string, scope: Scope, { kind, id, does }: Target, relation: Relation) =>
  new InboxError(
    "not_allowed",
    `"${agent}" may not ${does} the ${nounOf(kind)} ${id}: the ${nounOf(kind)} is ${whose[relation]}, and the token of "${agent}" has the scope ${scope}`,
    {
      hint: `use a token with the scope ${alternatives(scopesThat(relation, does))}`,
      details: { scopes: scopesThat(relation, does) },
    },
  );
