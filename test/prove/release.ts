/**
 * `npm run prove -- release`: makes the whole release, then installs and runs of it what this machine can run: the x64 executable as it
 * is, the arm64 one under qemu, the musl one with Debian's musl, the npm packages in an empty folder, the Debian package, install.sh, and
 * the container where there is a daemon. `--made` takes the release that lies in dist/release.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { packDependency, succeeds } from "../support/installed-package.ts";
import { blockWith } from "../support/readme.ts";

/** Linked in the place of glibc's loader, which its C++ library names. */
const shim = `#include <stddef.h>
extern long getrandom(void *, size_t, unsigned);
extern size_t strftime_l(char *, size_t, const char *, const void *, void *);
char __libc_single_threaded = 0;
unsigned arc4random(void) { unsigned value; getrandom(&value, sizeof value, 0); return value; }
size_t __strftime_l(char *s, size_t n, const char *f, const void *t, void *l) { return strftime_l(s, n, f, t, l); }
int __cxa_thread_atexit_impl(void (*f)(void *), void *a, void *d) { return 0; }
int _dl_find_object(void *p, void *r) { return -1; }
int __cpu_indicator_init(void) { return 0; }
struct { unsigned vendor, type, subtype, features[1]; } __cpu_model;
`;

const release = join(root, "dist/release");
const rows: [what: string, outcome: string][] = [];
let failed = false;

async function step(what: string, reason: string | false, work: () => Promise<unknown>): Promise<void> {
  const outcome = reason
    ? `not run: ${reason}`
    : await work().then(
        () => "runs",
        (error: Error) => `FAILED: ${error.message}`,
      );
  failed ||= outcome.startsWith("FAILED");
  rows.push([what, outcome]);
  console.log(`${what}: ${outcome}`);
}

const tour = blockWith("inbox wait-reply").replace(/^export PATH=.*\n/, "");
const subAgents = blockWith("orch push");

/** The README's round, and a look at the database; with sub-agents too, where the executable can start itself. */
async function round(programs: string, env: Record<string, string> = {}, withTasks = true): Promise<void> {
  using folder = temporaryFolder();
  const own = { ...env, PATH: `${programs}:${process.env.PATH}`, HOME: folder.path };
  const bash = (script: string) => succeeds(["bash", "-euo", "pipefail", "-c", script], folder.path, own);
  const said = await bash(`${tour}\ninbox search login\ninbox doctor\ninbox backup bus.tar`);
  if (!said.includes("thr_1 done")) throw new Error(`the tour ended otherwise: ${said}`);
  if (withTasks && !(await bash(`inbox init\n${subAgents}`)).includes("approach B works"))
    throw new Error("a sub-agent's result is missing");
}

/** A folder with both names for an executable of the release. */
function programsOf(file: string, into: string, wrap?: (program: string) => string): string {
  mkdirSync(into, { recursive: true });
  for (const name of ["inbox", "orch"]) {
    const path = join(into, name);
    if (!wrap) copyFileSync(join(release, file), path);
    else writeFileSync(path, `#!/bin/sh\nexec ${wrap(join(release, file))} "$@"\n`, { mode: 0o755 });
  }
  return into;
}

if (!process.argv.includes("--made"))
  await succeeds(["npm", "run", "release"], root, { HOME: process.env.HOME ?? "/" });
using folder = temporaryFolder();
const place = (name: string) => join(folder.path, name);
const [version = ""] = readFileSync(join(release, "VERSION"), "utf8").split("\n");

await step("checksums", false, () => succeeds(["sha256sum", "--check", "--quiet", "SHA256SUMS"], release));
await step("executable, Linux x64", false, () => round(programsOf("inbox-linux-x64", place("x64"))));

const [qemu, arm] = ["/usr/bin/qemu-aarch64-static", "/usr/aarch64-linux-gnu"];
const noArm = !(existsSync(qemu) && existsSync(join(arm, "lib/libstdc++.so.6")));
const armPackages = "apt-get install qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross";
await step("executable, Linux arm64 (qemu; no sub-agents)", noArm && armPackages, () =>
  round(
    programsOf(
      "inbox-linux-arm64",
      place("arm64"),
      (program) => `${qemu} -L ${arm} -0 "\${0##*/}" ${program}`,
    ),
    {},
    false,
  ),
);

const loader = "/lib/ld-musl-x86_64.so.1";
await step(
  "executable, Linux x64, musl (Debian's musl and libstdc++)",
  !(existsSync(loader) && Bun.which("gcc")) && "apt-get install musl gcc",
  async () => {
    const libraries = await muslLibraries(place("musl-libraries"));
    await round(programsOf("inbox-linux-x64-musl", place("musl")), { LD_LIBRARY_PATH: libraries });
  },
);

await step("npm install -g", false, async () => {
  const wanted = ["", "-linux-x64"].map((name) => join(release, "npm", `restante${name}-${version}.tgz`));
  const archives = [...wanted, await packDependency(folder.path)];
  const flags = ["--offline", "--no-audit", "--no-fund", "--allow-scripts=restante"];
  await succeeds(["npm", "install", "-g", "--prefix", place("global"), ...flags, ...archives], folder.path);
  await round(place("global/bin"));
});

await step("install.sh", false, async () => {
  await succeeds(["sh", join(release, "install.sh"), release, place("prefix")], folder.path);
  await round(place("prefix/bin"));
});

await step("Debian package", !Bun.which("dpkg-deb") && "there is no dpkg-deb", async () => {
  const deb = join(release, `restante_${version}_amd64.deb`);
  await succeeds(["dpkg-deb", "--extract", deb, place("deb")], folder.path);
  await round(place("deb/usr/bin"));
});

const daemon = Bun.which("docker") && Bun.spawnSync(["docker", "info"]).exitCode === 0;
await step("container", !daemon && "no container daemon answers", () =>
  succeeds(["docker", "build", "-f", "deploy/Dockerfile", "-t", "restante:prove", "."], root),
);

console.log(`\n${rows.map(([what, outcome]) => `${outcome.padEnd(8)} ${what}`).join("\n")}`);
process.exit(failed ? 1 : 0);

/** Debian has no C++ library for musl: its own one, and what that wants of glibc and musl does not have. */
async function muslLibraries(into: string): Promise<string> {
  mkdirSync(into);
  for (const path of ["/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/lib/x86_64-linux-gnu/libgcc_s.so.1"])
    copyFileSync(path, join(into, path.split("/").at(-1)!));
  writeFileSync(join(into, "shim.c"), shim);
  const out = ["-Wl,-soname,ld-linux-x86-64.so.2", "-o", "ld-linux-x86-64.so.2"];
  await succeeds(["gcc", "-shared", "-fPIC", "-nostdlib", ...out, "shim.c"], into);
  return into;
}
