/** [U1] Pushing an entry: its documents are looked for on this machine, before the transaction. */
import { entriesPush } from "../bus/procedures/entries-push.ts";
import { findWorkspace } from "../bus/workspace.ts";
import type { BusFiles } from "../contract/document.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { missingIn } from "../documents/confined.ts";
import type { Engine } from "../engines/engine.ts";
import type { Context, Procedure } from "../sql/procedure.ts";

export async function pushTo(
  engine: Engine,
  input: ParsedOf<"entries.push">,
  bus: BusFiles,
): Promise<(tx: Context) => Procedure<OutputOf<"entries.push">>> {
  const paths = (input.docs ?? []).map(({ path }) => path);
  if (!paths.length) return (tx) => entriesPush(tx, input, []);
  const missing = await missingDocuments(engine, input.workspace, paths, bus);
  return (tx) => entriesPush(tx, input, missing);
}

/** None in a workspace that was removed: then the procedure refuses, unless the call repeats one that was answered. */
async function missingDocuments(
  engine: Engine,
  workspace: string,
  paths: readonly string[],
  bus: BusFiles,
): Promise<string[]> {
  try {
    const { path: root } = await engine.read(() => findWorkspace(workspace));
    return missingIn({ root, bus }, paths);
  } catch (error) {
    if (error instanceof InboxError && error.code === "not_found") return [];
    throw error;
  }
}
