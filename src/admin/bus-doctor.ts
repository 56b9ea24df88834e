/** [C8] [N4] `inbox doctor`: checks a bus and its surroundings, and says what to do, or does it. */

import { InboxError } from "../contract/errors.ts";
import { type Diagnosis, diagnosis, type Finding, well } from "../contract/finding.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { call, phrase } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { checkBroker } from "../delivery/broker.ts";
import { engineAt } from "../engines/registry.ts";
import { type Asked, brokerOf, locate } from "../location/locate.ts";
import { hubsHere, isOutdated } from "../service/hub-folder.ts";
import { fileFindings } from "./file-findings.ts";
import { busFindings } from "./findings.ts";
import { folderFindings } from "./folder-findings.ts";
import { leftWorktrees } from "./left-worktrees.ts";
import { requireDatabase } from "./require-database.ts";
import { hubsNear } from "./serving.ts";
import { trackedFiles } from "./tracked-files.ts";

type Output = OutputOf<"bus.doctor">;

export async function busDoctor(asked: Asked, { fix }: ParsedOf<"bus.doctor">): Promise<Output> {
  const path = locate(asked);
  requireDatabase(
    "doctor",
    path,
    `look at ${withoutPassword(path)}/readyz and /metrics, or run it where the hub runs`,
  );
  const before = await diagnose(path, asked);
  if (!fix) return outputOf(before);
  const done = new Map<string, string>();
  const failed = new Map<string, string>();
  for (const finding of before.checks) {
    const repair = repairOf(finding);
    if (!repair) continue;
    try {
      done.set(finding.name, await repair());
    } catch (error) {
      failed.set(finding.name, `it could not be repaired: ${(error as Error).message}`);
    }
  }
  // The result is the state after the repairs.
  const after = await diagnose(path, asked);
  const checks = outputOf(after).checks.map((check) => ({
    ...check,
    ...(done.has(check.name) && { fixed: done.get(check.name)! }),
    ...(failed.has(check.name) && { left: failed.get(check.name)! }),
  }));
  return { ...outputOf(after), checks };
}

const repairOf = (finding: Finding) => ("repair" in finding ? finding.repair : undefined);

function outputOf({ healthy, checks }: Diagnosis): Output {
  const fixable = checks.flatMap((finding) => (repairOf(finding) ? [finding.name] : []));
  return {
    healthy,
    checks: checks.map((finding) => {
      if (!("repair" in finding)) return finding;
      const { repair: _, ...check } = finding;
      return check;
    }),
    fixable,
  };
}

async function diagnose(path: string, asked: Asked): Promise<Diagnosis> {
  const report = await engineAt(path).diagnose(path);
  const broker = brokerOf(asked.env, asked.delivery);
  const damaged = report.checks.some(({ name, status }) => name === "integrity" && status === "fail");
  return diagnosis([
    ...report.checks,
    ...folderFindings(path),
    // Nothing more is known about a database that cannot be read.
    ...(damaged ? [] : await busFindings(path, broker)),
    ...fileFindings(path, asked.env),
    trustCheck(path, asked.env),
    ...[trackedFiles(path), await leftWorktrees(path, asked.env)].filter((found) => found !== undefined),
    ...(broker === undefined ? [] : [await checkBroker(broker)]),
    await hubCheck(path, asked.env),
  ]);
}

function trustCheck(path: string, env: Asked["env"]): Finding {
  const refused = approval().refusalNow(path, env);
  if (!refused) return well("trust", "programs may be started for this bus");
  const fix = refused instanceof InboxError ? refused.said.hint : "";
  const left = "a person must check which programs would be run";
  return { name: "trust", status: "warn", detail: refused.message, fix, left };
}

const approval = () => require("../orch/approval.ts") as typeof import("../orch/approval.ts");

/** The hub that serves this database, whether or not it supervises it. It is fine if there is none. */
async function hubCheck(path: string, env: Asked["env"]): Promise<Finding> {
  const others: string[] = [];
  for (const { url, pid, db, servesIt } of await hubsNear(path, env)) {
    const which = `${url} (process ${pid}) serves`;
    if (servesIt) return outdatedHub(path, env, pid) ?? well("hub", `${which} this database`);
    others.push(`; ${which} another database, ${db}`);
  }
  return well("hub", `none serves this database; none is required${others.join("")}`);
}

/** [S3.4] A hub whose program is older than this one, which has migrated the database. */
function outdatedHub(path: string, env: Asked["env"], pid: number | undefined): Finding | undefined {
  const schema = engineAt(path).schemaVersion();
  const hub = hubsHere(path, env).find((one) => one.pid === pid);
  if (!hub || !isOutdated(hub, schema)) return undefined;
  const knows = hub.schema === undefined ? "an earlier schema" : `schema version ${hub.schema}`;
  return {
    name: "hub",
    status: "warn",
    detail: `${hub.url} (process ${pid}) serves this database, and its program knows ${knows}; the database has version ${schema}`,
    fix:
      hub.manager === "foreground"
        ? "stop it, and start it again with the newer program"
        : phrase`${call("bus.down")} and ${call("bus.up")} restart it with the newer program`,
    left: "clients are connected to it",
  };
}
