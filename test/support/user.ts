/** The user that tests act as: folders of their own, and every temporary folder trusted, unless a test says otherwise. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;

function userFolder(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), "restante-user-"));
  process.on("exit", () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}

export const testUser = (): Record<string, string> => ({
  XDG_STATE_HOME: join(userFolder(), "state"),
  INBOX_TRUST: tmpdir(),
});

/** For what runs in the test's own process. */
export function actAsTestUser(): void {
  Object.assign(process.env, testUser(), { XDG_CONFIG_HOME: join(userFolder(), "config") });
}
