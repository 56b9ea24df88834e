/**
 * Every way in which an operation can refuse, in one closed table. Surfaces take the exit code and the HTTP status
 * from here; engines translate errors of their drivers into these codes.
 */
import {
  asInPrograms,
  blank,
  call,
  changed,
  help,
  option,
  phrase,
  type Spelling,
  spelled,
  spelledWhole,
  type Text,
} from "./phrase.ts";
import { withoutPasswords, withoutTokens } from "./secret.ts";

export const errorTable = {
  invalid_input: {
    exit: 30,
    http: 400,
    retryable: false,
    hint: phrase`${help()} lists its inputs`,
  },
  too_large: {
    exit: 30,
    http: 413,
    retryable: false,
    hint: "put it in a file and attach that as an artifact, or send its path",
  },
  invalid_state: {
    exit: 30,
    http: 409,
    retryable: false,
    hint: phrase`${call("threads.show", { thread: blank("THREAD") })} shows the thread's state`,
  },
  not_allowed: {
    exit: 30,
    http: 403,
    retryable: false,
    hint: phrase`use a token with another scope; ${help("tokens.create")} lists what each scope allows`,
  },
  unauthenticated: {
    exit: 30,
    http: 401,
    retryable: false,
    hint: phrase`give a valid token: ${option("token", blank("TOKEN"))}; an admin creates one: ${call("tokens.create", { agent: blank("NAME") })}`,
  },
  limited: { exit: 50, http: 429, retryable: true, hint: "wait a moment and try again" },
  conflict: {
    exit: 20,
    http: 409,
    retryable: false,
    hint: "use a different idempotency key for different input",
  },
  lease_conflict: {
    exit: 20,
    http: 409,
    retryable: true,
    hint: "wait for the lease to end, or take other work",
  },
  lease_lost: {
    exit: 20,
    http: 409,
    retryable: false,
    hint: "stop working on this thread; claim again if it is free",
  },
  not_found: {
    exit: 40,
    http: 404,
    retryable: false,
    hint: phrase`${call("threads.list")} lists the threads`,
  },
  cursor_expired: {
    exit: 40,
    http: 410,
    retryable: false,
    hint: "the messages in between were deleted; continue from the oldest remaining message",
  },
  not_initialized: {
    exit: 40,
    http: 503,
    retryable: false,
    hint: phrase`${call("bus.init")} creates the database here`,
  },
  busy: { exit: 50, http: 503, retryable: true, hint: "nothing was written; try again" },
  storage: { exit: 50, http: 503, retryable: false, hint: phrase`${call("bus.doctor")} checks the database` },
  internal: { exit: 50, http: 500, retryable: false, hint: "this is a bug in inbox; nothing was written" },
} as const satisfies Record<string, { exit: number; http: number; retryable: boolean; hint: Text }>;

export type ErrorCode = keyof typeof errorTable;

export interface ErrorShape {
  code: ErrorCode;
  message: string;
  hint: string;
  details?: Record<string, unknown>;
}

/**
 * A message says what was asked and what the problem is; the hint says what to do next. Both may contain references
 * ([C14]), which a surface spells (`shape`); `message` and `hint` are for programs.
 */
export class InboxError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  declare readonly details?: Record<string, unknown>;
  // [C14.5] Private: a runtime that prints an error shows every field of it, and these are for surfaces.
  readonly #said: { readonly message: Text; readonly hint: Text };

  static {
    InboxError.prototype.name = "InboxError";
  }

  constructor(
    code: ErrorCode,
    message: Text,
    more: { hint?: Text; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    // [X15] Messages repeat what was typed in the wrong place, and are logged; so are addresses from elsewhere,
    // with a password in them.
    const said = {
      message: changed(message, (text) => withoutTokens(withoutPasswords(text))),
      hint: more.hint === undefined ? errorTable[code].hint : changed(more.hint, withoutTokens),
    };
    super(String(said.message), more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.#said = said;
    this.hint = String(said.hint);
    if (more.details) this.details = more.details;
  }

  get said() {
    return this.#said;
  }

  /** For a log: what the constructor was given, without the stack. */
  toJSON(): ErrorShape {
    return this.shape();
  }

  /** As a surface shows it. */
  shape(spelling: Spelling = asInPrograms): ErrorShape {
    const { code, said, details } = this;
    const message = spelledWhole(said.message, spelling);
    const hint = spelled(said.hint, spelling) || spelled(errorTable[code].hint, spelling);
    return details ? { code, message, hint, details } : { code, message, hint };
  }
}

/** With the surface's own hint, if the error has only the one from the table. */
export function hinted(error: InboxError, hint: Text): InboxError {
  const { code, said, details, cause } = error;
  if (error.hint !== String(errorTable[code].hint)) return error;
  return new InboxError(code, said.message, { hint, details, cause });
}

/** Turns anything that was thrown into one of our errors: a stack trace never reaches a user. */
export function asInboxError(error: unknown): InboxError {
  if (error instanceof InboxError) return error;
  const message = error instanceof Error ? error.message : String(error);
  // A refusal by the system (a full disk behind standard output) is not a fault of the program.
  const fromSystem = /^E[A-Z]+$/.test(String((error as { code?: unknown } | null)?.code ?? ""));
  return new InboxError(fromSystem ? "storage" : "internal", message, { cause: error });
}
