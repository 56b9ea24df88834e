/** The npm packages as they are published, installed into an empty folder: without a registry, and from this machine's program only. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, program, root } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";

const { pack, writeMain, writePlatform } = await import(join(root, "scripts/release/npm.mjs"));
const { hostTarget } = await import(join(root, "scripts/release/targets.mjs"));

export interface Installed {
  /** The folder with node_modules in it. */
  path: string;
  /** `restante` as an archive. */
  archive: string;
  [Symbol.dispose](): void;
}

/** Its output; throws with all of it where it fails. */
export async function succeeds(
  command: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env: bareEnvironment({ HOME: cwd, NO_UPDATE_NOTIFIER: "1", ...env }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const code = await child.exited;
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${out}${error}`);
  return out;
}

const npmInstall = ["npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];

/** The archive of the one package that `restante` depends on, as there may be no registry. */
export async function packDependency(into: string): Promise<string> {
  const command = ["npm", "pack", join(root, "node_modules/valibot"), "--ignore-scripts", "--silent"];
  const [name] = (await succeeds(command, into)).trim().split("\n");
  return join(into, name!);
}

/** Where install scripts may not run; `npm rebuild restante` then runs them. */
export async function installPackage(): Promise<Installed> {
  const packages = temporaryFolder();
  const folder = temporaryFolder();
  await succeeds(["node", "scripts/build.mjs", "--declarations"], root);
  const archive = pack(writeMain(packages.path));
  // Not compressed: a hundred megabytes would take half a minute, and npm reads both.
  const platform = writePlatform(hostTarget(), program, packages.path);
  await succeeds(
    ["tar", "-cf", "platform.tgz", `--transform=s:^:package/:`, "-C", platform, "."],
    packages.path,
  );
  const dependency = await packDependency(packages.path);
  writeFileSync(join(folder.path, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const archives = [archive, join(packages.path, "platform.tgz"), dependency];
  await succeeds([...npmInstall, ...archives], folder.path);
  return {
    path: folder.path,
    archive,
    [Symbol.dispose]() {
      for (const each of [folder, packages]) each[Symbol.dispose]();
    },
  };
}
