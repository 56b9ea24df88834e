/** Turns errors of the driver into our errors. The only place that knows SQLite's error codes. */
import { asInboxError, InboxError } from "../../contract/errors.ts";
import { blank, call, phrase, type Text } from "../../contract/phrase.ts";

const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code ?? "");

export const isBusy = (error: unknown) => codeOf(error).startsWith("SQLITE_BUSY");

export function translate(error: unknown, path: string): InboxError {
  if (error instanceof InboxError) return error;
  const code = codeOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  const storage = (message: string, hint?: Text) =>
    new InboxError("storage", message, { hint, cause: error });
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
    return new InboxError("busy", `another process holds the lock of ${path}`, { cause: error });
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE" || code === "ENOSPC" || code === "EDQUOT")
    return storage(`no room left for ${path}: nothing was written`, "free some disk space and run it again");
  if (code.startsWith("SQLITE_NOTADB")) return unreadable(path);
  if (
    /^(SQLITE_(READONLY|CANTOPEN|PERM)|EROFS|EACCES|EPERM|ENOTDIR|ENOENT|EISDIR|ELOOP|ENAMETOOLONG)/.test(
      code,
    )
  )
    return storage(
      `${path} cannot be opened for writing (${reason})`,
      "check the permissions of the file and its folder: SQLite creates two more files beside it",
    );
  if (code.startsWith("SQLITE_CORRUPT"))
    return storage(
      `${path} is damaged (${reason})`,
      phrase`${restoring(path)} replaces it with a backup; ${call("bus.doctor", {}, { db: path })} shows details`,
    );
  if (code.startsWith("SQLITE_")) return storage(`${path}: ${reason}`);
  return asInboxError(error);
}

export const notOurs = (path: string, why: string) =>
  new InboxError("storage", `${path} is not a Restante database: ${why}; nothing was changed`, {
    hint: "give another file",
    details: { notOurs: true },
  });

/** Its first bytes are not those of a database: another program's file, or a bus that was overwritten. */
const unreadable = (path: string) =>
  new InboxError(
    "storage",
    `${path} is damaged, or not a Restante database: it does not start with a SQLite header; nothing was changed`,
    {
      hint: phrase`if it was a bus, ${restoring(path)} replaces it with a backup; otherwise give another file`,
      details: { notOurs: true },
    },
  );

/** The damaged file is kept under another name. */
const restoring = (path: string) => call("bus.restore", { file: blank("FILE"), force: true }, { db: path });
