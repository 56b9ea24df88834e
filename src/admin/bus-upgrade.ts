/** [I4] `inbox upgrade`: which version this is, how it came here, whether there is a newer one, and the command that installs it. */
import { dirname, join } from "node:path";
import type { OutputOf } from "../contract/operations/index.ts";
import { withoutPassword } from "../contract/secret.ts";
import { shellWord } from "../contract/shell-word.ts";
import type { Asked } from "../location/locate.ts";
import { exists, fs } from "../platform/system.ts";
import { version } from "../version.ts";

type Report = OutputOf<"bus.upgrade">;
type Installation = Report["installedBy"];

const answerWaitMs = 10_000;

export async function busUpgrade(asked: Asked): Promise<Report> {
  const program = fs().realpathSync(process.execPath.replace(/ \(deleted\)$/, ""));
  const installedBy = installationOf(program);
  const releases = asked.env.INBOX_RELEASES || undefined;
  const command = commandFor(installedBy, program, releases);
  const found = await latestFrom(installedBy, releases, asked.env);
  const latest = typeof found === "string" ? found : null;
  return {
    version,
    program,
    installedBy,
    latest,
    newer: latest !== null && isNewer(latest, version),
    problem: typeof found === "string" ? null : found.problem,
    upgradeCommand: command,
  };
}

/** By its path: each kind of installation has its own. */
export function installationOf(program: string): Installation {
  if (/\/node_modules\/restante(-[^/]+)?\//.test(program)) return "npm";
  if (/\/Cellar\/restante\//.test(program)) return "brew";
  if (program === "/usr/lib/restante/inbox" && exists("/var/lib/dpkg/info/restante.list")) return "deb";
  if (program.endsWith("/lib/restante/inbox")) return "script";
  // The source's runtime, or what it has built.
  if (/\/node_modules\/(@oven|bun)\//.test(program)) return "checkout";
  return exists(join(dirname(program), "../src/main.ts")) ? "checkout" : "copy";
}

function commandFor(installedBy: Installation, program: string, releases = "ADDRESS"): string {
  const place = releases === "ADDRESS" ? releases : shellWord(withoutPassword(releases));
  const isAddress = /^[a-z]+:\/\//i.test(releases);
  const script =
    isAddress || releases === "ADDRESS"
      ? `curl -fsSL ${place}/install.sh | sh -s -- ${place}`
      : `sh ${place}/install.sh ${place}`;
  const commands: Record<Installation, string> = {
    npm: commandOfNpm(program),
    brew: "brew upgrade restante",
    deb: "apt-get install ./restante_VERSION_ARCHITECTURE.deb",
    script,
    copy: script,
    checkout: "git pull && npm run build",
  };
  return commands[installedBy];
}

/** A package of a project, of npx, or installed globally: only the folder of the last has no manifest. */
function commandOfNpm(program: string): string {
  const folder = program.replace(/\/node_modules\/restante.*/, "");
  if (/\/_npx\/[^/]+$/.test(folder)) return "npx restante@latest";
  return exists(join(folder, "package.json"))
    ? `cd ${shellWord(folder)} && npm install restante@latest`
    : "npm install -g restante@latest";
}

type Found = string | { problem: string };

async function latestFrom(
  installedBy: Installation,
  releases: string | undefined,
  env: Asked["env"],
): Promise<Found> {
  const shown = releases && withoutPassword(releases);
  try {
    const text = releases
      ? await versionAt(releases)
      : installedBy === "npm"
        ? await versionInRegistry(env)
        : undefined;
    if (text === undefined) return { problem: "no release address is configured; set INBOX_RELEASES to one" };
    const found = text.trim();
    return parts(found) ? found : { problem: `${shown ?? "npm"} did not answer with a version` };
  } catch (error) {
    return { problem: `${shown ?? "npm's registry"} did not answer: ${(error as Error).message}` };
  }
}

async function versionAt(releases: string): Promise<string> {
  if (!/^https?:\/\//i.test(releases))
    return fs().readFileSync(join(releases.replace(/^file:\/\//, ""), "VERSION"), "utf8");
  const signal = AbortSignal.timeout(answerWaitMs);
  const answer = await fetch(`${releases.replace(/\/$/, "")}/VERSION`, { signal });
  if (!answer.ok) throw new Error(`HTTP ${answer.status} for VERSION`);
  return answer.text();
}

/** From / on: settings of npm in the working directory could name another registry. */
async function versionInRegistry(env: Asked["env"]): Promise<string> {
  const npm = Bun.which("npm", { PATH: env.PATH ?? "" });
  if (!npm) throw new Error("npm is not installed");
  const child = Bun.spawn([npm, "view", "restante", "version"], {
    cwd: "/",
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: answerWaitMs,
  });
  const [code, out, complaints] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (code === 0) return out;
  const [, reason = "npm view failed"] = /npm error code (\w+)/.exec(complaints) ?? [];
  throw new Error(reason);
}

function parts(text: string): { numbers: number[]; early: boolean } | undefined {
  const [, core, early] = /^(\d+\.\d+\.\d+)(-[0-9A-Za-z.-]+)?$/.exec(text) ?? [];
  return core === undefined
    ? undefined
    : { numbers: core.split(".").map(Number), early: early !== undefined };
}

/** Of two versions that differ only in a suffix after a hyphen, the one without is newer. */
export function isNewer(found: string, current: string): boolean {
  const [a, b] = [parts(found), parts(current)];
  if (!a || !b) return false;
  const first = a.numbers.findIndex((number, i) => number !== b.numbers[i]);
  return first < 0 ? b.early && !a.early : a.numbers[first]! > b.numbers[first]!;
}
