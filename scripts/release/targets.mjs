/** The systems that the program is published for. `name` is a file's and a package's; the rest is what npm and the compiler call them. */
const target = (os, cpu, { libc, bunOs = os } = {}) => {
  const bunCpu = cpu === "arm64" ? "aarch64" : cpu;
  const musl = libc === "musl" ? "-musl" : "";
  return {
    name: `${os === "win32" ? "windows" : os}-${cpu}${musl}`,
    os,
    cpu,
    libc,
    compilerTarget: `bun-${bunOs}-${cpu}${musl}`,
    runtimePackage: `@oven/bun-${bunOs}-${bunCpu}${musl}`,
    ending: os === "win32" ? ".exe" : "",
  };
};

export const targets = [
  target("linux", "x64", { libc: "glibc" }),
  target("linux", "arm64", { libc: "glibc" }),
  target("linux", "x64", { libc: "musl" }),
  target("linux", "arm64", { libc: "musl" }),
  target("darwin", "x64"),
  target("darwin", "arm64"),
  target("win32", "x64", { bunOs: "windows" }),
];

const isMusl = () => !process.report.getReport().header.glibcVersionRuntime;

/** The one that this machine is. */
export const hostTarget = () =>
  targets.find(
    ({ os, cpu, libc }) =>
      os === process.platform &&
      cpu === process.arch &&
      (libc === undefined || libc === (isMusl() ? "musl" : "glibc")),
  );
