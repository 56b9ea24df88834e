/** A configuration file: read as a whole, and replaced as a whole or not at all. */
import { basename, dirname, join, resolve } from "node:path";
import { InboxError } from "../contract/errors.ts";
import { fs } from "../platform/system.ts";

export interface Found {
  /** Its path as the client names it. */
  file: string;
  /** Its real path, after all links. */
  path: string;
  linked: boolean;
  text?: string;
  stat?: { mode: number; uid: number; gid: number };
}

const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? "");
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function find(file: string): Found {
  try {
    const { path, linked } = follow(file);
    const stat = fs().statSync(path, { throwIfNoEntry: false });
    if (!stat) return { file, path, linked };
    if (!stat.isFile()) throw new Error("it is not a file");
    return { file, path, linked, stat, text: utf8.decode(fs().readFileSync(path)) };
  } catch (error) {
    throw new InboxError("invalid_input", `${file} cannot be read: ${(error as Error).message}`, {
      hint: "nothing was written; fix the file or move it away, and run this again",
    });
  }
}

/** Also past a link to a file that is not there yet. */
function follow(file: string): { path: string; linked: boolean } {
  let path = file;
  for (let hops = 0; hops < 40; hops++) {
    try {
      path = resolve(dirname(path), fs().readlinkSync(path));
    } catch (error) {
      if (codeOf(error) === "EINVAL" || codeOf(error) === "ENOENT") return { path, linked: hops > 0 };
      throw error;
    }
  }
  throw new Error("it is a symbolic link that forms a loop");
}

/** Undefined deletes the file. */
export function replace(
  { file, path, text: before, stat }: Found,
  text: string | undefined,
  mode: number,
): void {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${process.pid}.tmp`);
  try {
    fs().mkdirSync(folder, { recursive: true });
    if (text === undefined) {
      unchanged(path, before);
      fs().unlinkSync(path);
      return;
    }
    const handle = fs().openSync(temporary, "wx", stat ? stat.mode & 0o7777 : mode);
    try {
      fs().writeFileSync(handle, text);
      if (stat) keep(handle, stat);
      fs().fsyncSync(handle);
    } finally {
      fs().closeSync(handle);
    }
    unchanged(path, before);
    fs().renameSync(temporary, path);
  } catch (error) {
    fs().rmSync(temporary, { force: true });
    if (error instanceof InboxError) throw error;
    throw new InboxError("storage", `${file} cannot be written: ${(error as Error).message}`, {
      hint: "the file was not changed; check its permissions",
    });
  }
}

function keep(handle: number, { mode, uid, gid }: NonNullable<Found["stat"]>): void {
  try {
    fs().fchownSync(handle, uid, gid);
  } catch {
    // Only root may change an owner; others own the file already, or write in a shared folder.
  }
  fs().fchmodSync(handle, mode & 0o7777);
}

/** Clients write their files too, and the person may have taken a while to confirm. */
function unchanged(path: string, before: string | undefined): void {
  const now = fs().existsSync(path) ? fs().readFileSync(path, "utf8") : undefined;
  if (now !== before)
    throw new InboxError("conflict", `${path} was changed by another program in the meantime`, {
      hint: "nothing was written; run this again",
    });
}
