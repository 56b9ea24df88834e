/**
 * [Q4] [X2] The sub-agent's own token, where tokens are used; it is revoked at its end. It has the scope worker: it
 * acts for the sub-agent and the tasks that this pushes.
 */

import { tokensCreate } from "../bus/procedures/tokens-create.ts";
import type { TaskRow } from "../bus/task.ts";
import { keepTask } from "../bus/tasks/keep.ts";
import { hasTokens } from "../bus/token.ts";
import type { Engine } from "../engines/engine.ts";
import { newToken, tokenHash } from "../platform/token-text.ts";
import { patiently } from "./retry.ts";

export async function lendToken(engine: Engine, row: TaskRow, keeper: string): Promise<string | null> {
  if (!(await patiently(() => engine.read(() => hasTokens())))) return null;
  const token = newToken();
  await patiently(() =>
    engine.write(function* (tx) {
      const made = yield* tokensCreate(tx, { agent: row.name, scope: "worker", hash: tokenHash(token) });
      yield* keepTask(tx, row.task_number, keeper, { token_id: Number(made.tokenId.slice("tok_".length)) });
    }),
  );
  return token;
}
