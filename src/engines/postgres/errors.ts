/** What the driver throws, as one of our errors. The only place that knows Postgres' codes. */
import { asInboxError, InboxError } from "../../contract/errors.ts";
import { call, option, phrase, type Text, variable } from "../../contract/phrase.ts";
import { ConnectionLost, isServerError } from "./connection.ts";

const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code ?? "");

/** A conflict with another transaction: this one was rolled back, and can be run again. */
export const isRace = (error: unknown) => ["40001", "40P01", "23505"].includes(codeOf(error));

/** Another transaction has had a lock for too long. */
export const isLocked = (error: unknown) => ["55P03", "57014"].includes(codeOf(error));

/** The connection is lost, or the server no longer accepts writes: another connection may work. */
export const isLost = (error: unknown) =>
  error instanceof ConnectionLost || isStopping(error) || /^(E[A-Z]+|CONNECT[A-Z_]*)$/.test(codeOf(error));

/** The server is stopping or starting, has become a standby, or has ended our transaction because it was idle. */
export const isStopping = (error: unknown) => /^(57P0[1-3]|25006|25P03)$/.test(codeOf(error));

/** Our tables do not exist: a wrong database, or one that was not initialised. */
export const isMissing = (error: unknown) => /^(42P01|3F000)$/.test(codeOf(error));

/** Unlogged tables do not exist on a standby. */
export const isStandby = (error: unknown) => codeOf(error) === "0A000";

export function translate(error: unknown, shown: string): InboxError {
  if (error instanceof InboxError) return error;
  const code = codeOf(error);
  const reason = rootOf(error);
  const storage = (message: string, hint?: Text) =>
    new InboxError("storage", message, { hint, cause: error });
  if (isServerError(error)) {
    if (isMissing(error)) return notInitialized(shown);
    if (isLocked(error) || isRace(error))
      return new InboxError("busy", `another program holds a lock in ${shown} that this call needs`, {
        cause: error,
      });
    if (code === "3D000")
      return storage(
        `${shown}: ${error.message}`,
        "create it first: createdb NAME, or the command your server has for it",
      );
    if (/^28/.test(code))
      return storage(
        `${shown} refused the login: ${error.message}`,
        phrase`check user and password in ${option("db")} or ${variable("INBOX_DB")}`,
      );
    if (code === "42501")
      return storage(
        `${shown}: ${error.message}`,
        phrase`the tables are created by a role that owns the schema or may create it: run ${call("bus.init")} as that role`,
      );
    if (code === "53300")
      return storage(
        `${shown} has no free connections (${error.message})`,
        "raise max_connections, or put pool=N into the address",
      );
    if (code === "53100")
      return storage(
        `no room left on the disk of ${shown}: nothing was written`,
        "free some space and run it again",
      );
    if (/unsupported startup parameter/.test(error.message))
      return storage(`${shown} is a pooler`, "put pooler=transaction into the address, or connect directly");
    if (isStopping(error) || /^08/.test(code)) return down(shown, error.message, error);
    return storage(`${shown}: ${error.message} (${code})`);
  }
  if (error instanceof ConnectionLost || /^(E[A-Z]+|CONNECT)/.test(code)) return down(shown, reason, error);
  return asInboxError(error);
}

/** `unknown`: the host name cannot be resolved, which is more often a typing error than a server that starts later. */
const down = (shown: string, reason: string, cause: unknown) =>
  new InboxError("storage", `${shown} cannot be reached: ${reason}; nothing was written`, {
    details: { away: true, ...(/\bENOTFOUND\b/.test(reason) && { unknown: true }) },
    hint: "check that the server is running and the address is right; a hub reconnects automatically",
    cause,
  });

export const notInitialized = (shown: string) =>
  new InboxError("not_initialized", `there is no Restante database at ${shown}`, {
    hint: phrase`${call("bus.init", {}, { db: shown })} creates it`,
  });

function rootOf(error: unknown): string {
  for (let at = error; ; at = (at as Error).cause)
    if (!(at instanceof Error) || at.cause === undefined)
      return String((at as Error | undefined)?.message || (at as { code?: string } | undefined)?.code || at);
}
