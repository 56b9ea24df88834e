/** What a release is installed with, and what the installed program says of itself. The packages of npm are in test/sdk/package.test.ts. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { installationOf, isNewer } from "../../src/admin/bus-upgrade.ts";
import { bareEnvironment, program, root, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const { hostTarget, targets } = await import(join(root, "scripts/release/targets.mjs"));
const { writeDeb } = await import(join(root, "scripts/release/deb.mjs"));
const { writeFormula } = await import(join(root, "scripts/release/brew.mjs"));
const host = `inbox-${hostTarget().name}`;
const installer = join(root, "packaging/install.sh");

/** A release with this machine's executable in it, or with another text in its place. */
function release(folder: string, wrong?: string): string {
  const path = join(folder, "release");
  mkdirSync(path);
  copyFileSync(program, join(path, host));
  const sum = createHash("sha256").update(readFileSync(program)).digest("hex");
  writeFileSync(join(path, "SHA256SUMS"), `${wrong ?? sum}  ${host}\n`);
  writeFileSync(join(path, "VERSION"), "999.0.0\n");
  return path;
}

async function sh(args: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(["sh", installer, ...args], {
    cwd: "/",
    env: bareEnvironment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

describe("install.sh", () => {
  test("[I1.3] installs both programs with completions, and says what is missing on PATH", async () => {
    using folder = temporaryFolder();
    const [from, prefix] = [release(folder.path), join(folder.path, "prefix")];
    const { code, stdout, stderr } = await sh([from, prefix]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`installed inbox (Restante) ${manifest.version} in ${prefix}/bin`);
    expect(stdout).toContain(`export PATH="${prefix}/bin:$PATH"`);
    const orch = await run(["--version"], { program: [join(prefix, "bin/orch")] });
    expect(orch.stdout).toBe(`orch (Restante) ${manifest.version}\n`);
    for (const file of [
      "bash-completion/completions/orch",
      "zsh/site-functions/_inbox",
      "fish/vendor_completions.d/inbox.fish",
    ])
      expect(readFileSync(join(prefix, "share", file), "utf8")).toContain("completion");
    expect(readdirSync(join(prefix, "lib/restante"))).toEqual(["inbox"]);

    // The same over HTTP, over the first, with both in variables.
    using hub = served(from);
    const env = {
      INBOX_RELEASES: `${hub.url}/`,
      INBOX_PREFIX: prefix,
      PATH: `${prefix}/bin:${process.env.PATH}`,
    };
    const again = await sh([], env);
    expect({ code: again.code, stdout: again.stdout }).toEqual({
      code: 0,
      stdout: `installed inbox (Restante) ${manifest.version} in ${prefix}/bin\n`,
    });

    const checked = await run(["upgrade", "--check", "--json"], {
      program: [join(prefix, "bin/inbox")],
      env: { INBOX_RELEASES: hub.url },
    });
    expect(checked.json).toMatchObject({
      version: manifest.version,
      installed_by: "script",
      latest: "999.0.0",
      newer: true,
      problem: null,
      upgrade_command: `curl -fsSL ${hub.url}/install.sh | sh -s -- ${hub.url}`,
    });
  });

  test("[I1.3] a wrong checksum, a missing file and no address install nothing", async () => {
    using folder = temporaryFolder();
    const prefix = join(folder.path, "prefix");
    const tried: [args: string[], message: string][] = [
      [[release(folder.path, "0".repeat(64)), prefix], "nothing was installed"],
      [[join(folder.path, "nowhere"), prefix], "SHA256SUMS could not be downloaded"],
      [[], "no address"],
    ];
    for (const [args, message] of tried) {
      const { code, stderr } = await sh(args);
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    expect(existsSync(join(prefix, "bin/inbox"))).toBe(false);
    expect(readdirSync(join(prefix, "lib/restante"))).toEqual([]);
  });
});

function served(folder: string): { url: string; [Symbol.dispose](): void } {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => new Response(Bun.file(join(folder, new URL(request.url).pathname))),
  });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}

test("[I1.1] there is a target for each system that is published, and the lock file has its runtime", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const { runtimePackage } of targets)
    expect(packages[`node_modules/${runtimePackage}`].version).toBe(manifest.devDependencies.bun);
  expect(targets.map(({ compilerTarget }: { compilerTarget: string }) => compilerTarget)).toEqual([
    "bun-linux-x64",
    "bun-linux-arm64",
    "bun-linux-x64-musl",
    "bun-linux-arm64-musl",
    "bun-darwin-x64",
    "bun-darwin-arm64",
    "bun-windows-x64",
  ]);
});

test.skipIf(!Bun.which("dpkg-deb"))(
  "[I1.4] the Debian package is one that dpkg reads",
  async () => {
    using folder = temporaryFolder();
    const tiny = join(folder.path, "tiny");
    writeFileSync(tiny, "#!/bin/sh\n");
    expect(targets.map((target: unknown) => writeDeb(target, tiny, folder.path)).filter(Boolean)).toEqual([
      `restante_${manifest.version}_amd64.deb`,
      `restante_${manifest.version}_arm64.deb`,
    ]);
    const deb = join(folder.path, `restante_${manifest.version}_arm64.deb`);
    const dpkg = (...args: string[]) => Bun.spawnSync(["dpkg-deb", ...args]).stdout.toString();
    expect(dpkg("--field", deb, "Architecture", "Version")).toContain("Architecture: arm64");
    expect(dpkg("--contents", deb)).not.toMatch(/^\S+ (?!root\/root|0\/0)/m);
    const out = join(folder.path, "out");
    dpkg("--raw-extract", deb, out);
    expect(readlinkSync(join(out, "usr/bin/orch"))).toBe("../lib/restante/inbox");
    const unit = readFileSync(join(out, "usr/lib/systemd/system/restante-hub.service"), "utf8");
    expect(unit).toContain("ExecStart=/usr/bin/inbox serve");
    expect(readFileSync(join(out, "DEBIAN/conffiles"), "utf8")).toBe("/etc/restante/hub.env\n");
    expect(statSync(join(out, "etc/restante/hub.env")).mode & 0o777).toBe(0o600);
    expect(existsSync(join(out, "usr/share/zsh/vendor-completions/_orch"))).toBe(true);
  },
  180_000,
);

test("[I1.4] the formula names every executable with its checksum, and no host", () => {
  using folder = temporaryFolder();
  const names: string[] = targets.map(({ name }: { name: string }) => `inbox-${name}`);
  const sums = new Map(names.map((name, i) => [name, String(i).repeat(64)]));
  expect(writeFormula(folder.path, new Map([...sums].slice(1)))).toBeUndefined();
  expect(writeFormula(folder.path, sums)).toBe("restante.rb");
  const formula = readFileSync(join(folder.path, "restante.rb"), "utf8");
  for (const name of ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"])
    expect(formula).toContain(`url "#{releases}/inbox-${name}"\n      sha256 "${sums.get(`inbox-${name}`)}"`);
  expect(formula).not.toMatch(/https?:\/\//);
});

test("[I4.4] upgrade knows how the program was installed by its path", () => {
  const places: [path: string, way: string][] = [
    ["/usr/local/lib/node_modules/restante/bin/inbox", "npm"],
    ["/home/a/app/node_modules/restante-linux-x64/bin/inbox", "npm"],
    ["/opt/homebrew/Cellar/restante/0.1.0/lib/restante/inbox", "brew"],
    ["/home/a/.local/lib/restante/inbox", "script"],
    [join(root, "dist/inbox"), "checkout"],
    ["/usr/local/bin/inbox", "copy"],
  ];
  for (const [path, way] of places) expect([path, installationOf(path)]).toEqual([path, way] as never);
  const versions: [found: string, current: string, newer: boolean][] = [
    ["0.10.0", "0.9.9", true],
    ["0.9.9", "0.10.0", false],
    ["1.0.0", "1.0.0", false],
    ["1.0.0", "1.0.0-rc.1", true],
    ["1.0.0-rc.1", "1.0.0", false],
  ];
  for (const [found, current, newer] of versions)
    expect([found, isNewer(found, current)]).toEqual([found, newer]);
});

test("[I4.4] upgrade asks the registry that npm is configured for, outside of the working directory", async () => {
  using folder = temporaryFolder();
  // Where npm would have put it, with an npm that says where it was asked.
  const bin = join(folder.path, "node_modules/restante/bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(program, join(bin, "inbox"));
  const path = join(folder.path, "path");
  mkdirSync(path);
  const npm = (script: string) => writeFileSync(join(path, "npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const check = () =>
    run(["upgrade", "--check", "--json"], {
      program: [join(bin, "inbox")],
      cwd: folder.path,
      env: { PATH: `${path}:/usr/bin:/bin` },
    });
  npm(`[ "$PWD $*" = "/ view restante version" ] && echo ${manifest.version}`);
  expect((await check()).json).toMatchObject({
    installed_by: "npm",
    latest: manifest.version,
    newer: false,
    upgrade_command: "npm install -g restante@latest",
  });
  writeFileSync(join(folder.path, "package.json"), "{}");
  const local = `cd ${folder.path} && npm install restante@latest`;
  expect((await check()).json).toMatchObject({ upgrade_command: local });
  npm("echo 'npm error code ENOTFOUND' >&2; exit 1");
  const offline = await check();
  expect(offline.code).toBe(0);
  expect(offline.json).toMatchObject({
    latest: null,
    newer: false,
    problem: expect.stringContaining("ENOTFOUND"),
  });
});

test("[I4.4] without --check it says the same, for people too", async () => {
  const { code, stdout } = await run(["upgrade"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`inbox ${manifest.version} at ${program}\ninstalled   from a checkout\n`);
  expect(stdout).toContain("newest      unknown: no release address is configured");
  expect(stdout).toContain("to upgrade  git pull && npm run build");
});
