/** [U1] Pushing an entry: its documents are looked for on this machine, before the transaction. */
import { entriesPush } from "../bus/procedures/entries-push.ts";
import { findWorkspace } from "../bus/workspace.ts";
import type { BusFiles } from "../contract/document.ts";
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
  const { path: root } = await engine.read(() => findWorkspace(input.workspace));
  const missing = missingIn({ root, bus }, paths);
  return (tx) => entriesPush(tx, input, missing);
}
