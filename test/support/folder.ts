/** A folder of a test's own, gone when the test is over. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../../src/platform/remove-tree.ts";

export function temporaryFolder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), "restante-"));
  return { path, [Symbol.dispose]: () => removeTree(path) };
}
