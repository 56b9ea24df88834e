/** [A2] Whose mail is meant, where senders can be given by the ids or branches of their tasks. */
import { isTaskText, mailNamesOf } from "../bus/tasks/mail-name.ts";
import type { Engine } from "../engines/engine.ts";

export const sendersOf = async (engine: Engine, given: readonly string[]): Promise<readonly string[]> =>
  given.some(isTaskText) ? engine.read(() => mailNamesOf(given)) : given;
