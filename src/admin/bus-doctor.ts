/** [C8] `inbox doctor`: what can be wrong with a bus and around it, and what to do. */

import type { OutputOf } from "../contract/operations/index.ts";
import { withoutPassword } from "../contract/secret.ts";
import { checkBroker } from "../delivery/broker.ts";
import { engineAt } from "../engines/registry.ts";
import { type Asked, brokerOf, locate } from "../location/locate.ts";
import { leftWorktrees } from "./left-worktrees.ts";
import { requireDatabase } from "./require-database.ts";
import { hubsNear } from "./serving.ts";
import { type Check, trackedFiles } from "./tracked-files.ts";

export async function busDoctor(asked: Asked): Promise<OutputOf<"bus.doctor">> {
  const path = locate(asked);
  requireDatabase(
    "doctor",
    path,
    `look at ${withoutPassword(path)}/readyz and /metrics, or run it where the hub runs`,
  );
  const report = await engineAt(path).diagnose(path);
  const broker = brokerOf(asked.env, asked.delivery);
  const carrier = broker === undefined ? [] : [await checkBroker(broker)];
  const tracked = trackedFiles(path);
  const worktrees = await leftWorktrees(path, asked.env);
  const more = [tracked, worktrees].filter((check) => check !== undefined);
  const checks = [...report.checks, trustCheck(path, asked.env), ...more, ...carrier];
  return { ...report, checks: [...checks, await hubCheck(path)] };
}

function trustCheck(path: string, env: Asked["env"]): Check {
  const refused = approval().refusalNow(path, env);
  if (!refused) return { name: "trust", status: "ok", detail: "programs may be started for this bus" };
  return { name: "trust", status: "warn", detail: refused.message, fix: refused.said.hint };
}

const approval = () => require("../orch/approval.ts") as typeof import("../orch/approval.ts");

/** Which hub serves this database: the one that noted itself there, or one where hubs usually are. None is nothing wrong. */
async function hubCheck(path: string): Promise<Check> {
  const others: string[] = [];
  for (const { url, pid, db, servesIt } of await hubsNear(path)) {
    const which = `${url} (process ${pid}) serves`;
    if (servesIt) return { name: "hub", status: "ok", detail: `${which} this database` };
    others.push(`; ${which} another database, ${db}`);
  }
  return {
    name: "hub",
    status: "ok",
    detail: `none serves this database; none is required${others.join("")}`,
  };
}
