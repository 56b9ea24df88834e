/** Operations that start sub-agents. */
import type { ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import type { Workplace } from "../orch/operations/place.ts";
import type { Calling } from "../waiting/handed.ts";
import { awaitResult } from "../waiting/tasks-handoff.ts" with { load: "when-called" };

/** Loaded when asked for: they bring modules that no other command needs. */
export const orch = () =>
  require("../orch/operations/index.ts") as typeof import("../orch/operations/index.ts");
const approval = () => require("../orch/approval.ts") as typeof import("../orch/approval.ts");

/** [Q7] Released tasks need a supervisor at once, not only when the next command notices. [X7] And the user must trust this bus. */
export async function supervised<T>({ db, supervise }: Workplace, writing: () => Promise<T>): Promise<T> {
  approval().requireApproval(db);
  const given = await writing();
  await supervise();
  return given;
}

/** [Q11] A new sub-agent is started here; one that was started before is only waited for. */
export async function handOff(
  engine: Engine,
  input: ParsedOf<"tasks.handoff">,
  call: Calling,
  place: Workplace,
) {
  const { message, terminalId, timeoutSeconds, ...task } = input;
  const { agent } = input;
  if (terminalId !== undefined) return awaitResult(engine, { agent, name: terminalId, timeoutSeconds }, call);
  const started = await supervised(place, async () =>
    engine.write(await orch().assignTo(place, { ...task, message: message! })),
  );
  const { terminalId: name, unknown } = started;
  return awaitResult(engine, { agent, name, unknown, timeoutSeconds }, call);
}
