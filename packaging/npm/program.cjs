/** Where the program for this machine is: in the platform's package, which npm installs beside this one. */
const { existsSync, readdirSync } = require("node:fs");
const { dirname, join } = require("node:path");

const system = process.platform === "win32" ? "windows" : process.platform;
const ending = process.platform === "win32" ? ".exe" : "";

/** The one that npm chose comes first. Some package managers install the packages of both C libraries. */
function candidates() {
  if (system !== "linux") return [`restante-${system}-${process.arch}`];
  const names = [`restante-linux-${process.arch}`, `restante-linux-${process.arch}-musl`];
  return isMusl() ? names.reverse() : names;
}

/** By its loader: asking the runtime for a report takes tens of milliseconds. */
function isMusl() {
  try {
    return readdirSync("/lib").some((name) => name.startsWith("ld-musl-")) && !hasGlibc();
  } catch {
    return false;
  }
}

const hasGlibc = () =>
  ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].some((path) => existsSync(path));

exports.programPath = () => {
  for (const name of candidates())
    try {
      const path = join(dirname(require.resolve(`${name}/package.json`)), "bin", `inbox${ending}`);
      if (existsSync(path)) return path;
    } catch {
      // Not installed.
    }
  throw new Error(
    `restante: no program for ${process.platform} ${process.arch} is installed (looked for ${candidates().join(", ")}). ` +
      "Install again without --omit=optional; if node_modules was copied from another system, delete it first.",
  );
};
