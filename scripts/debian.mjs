/** Programs that some tests and benchmarks need, from Debian's packages where that is possible; else those are skipped by name. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** What shows that it is there, and the package that brings it. */
const forTests = {
  zsh: "zsh",
  fish: "fish",
  jq: "jq",
  "chromium-headless-shell": "chromium-headless-shell",
  faketime: "faketime",
  ip: "iproute2",
  "/usr/lib/postgresql": "postgresql",
  "/usr/sbin/pgbouncer": "pgbouncer",
  "/usr/lib/rabbitmq/bin/rabbitmq-server": "rabbitmq-server",
};
const forBenchmarks = { wrk: "wrk", "redis-server": "redis-server", sqlite3: "sqlite3" };
const has = (program) =>
  program.startsWith("/")
    ? existsSync(program)
    : spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

export const installForTests = () => installPrograms(forTests, "their tests");
export const installForBenchmarks = () =>
  installPrograms({ ...forTests, ...forBenchmarks }, "benchmarks that need them");

function installPrograms(needed, skipped) {
  const missing = Object.keys(needed).filter((program) => !has(program));
  if (!missing.length) return;
  if (process.getuid?.() !== 0 || !has("apt-get")) {
    console.log(`not installed here, ${skipped} are skipped: ${missing.join(", ")}`);
    return;
  }
  const packages = missing.map((program) => needed[program]);
  console.log(`apt-get install ${packages.join(" ")} …`);
  // RUNLEVEL: a package that brings a server must not start it.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const apt = (...args) =>
    spawnSync("apt-get", ["-qq", ...args], { env, stdio: ["ignore", "ignore", "inherit"] });
  const install = () => apt("install", "-y", "--no-install-recommends", ...packages).status === 0;
  if (install()) return;
  apt("update");
  if (!install()) console.log(`could not be installed, ${skipped} are skipped: ${missing.join(", ")}`);
}
