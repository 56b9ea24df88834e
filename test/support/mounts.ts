/**
 * File systems of a test's own: a small one that can be filled, and a read-only view of a folder. Root may
 * mount; anybody else runs the test file once more inside a user namespace, where they may too.
 */
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";

const isRoot = process.getuid?.() === 0;
const succeeds = (...command: [string, ...string[]]) =>
  spawnSync(command[0], command.slice(1), { stdio: "ignore" }).status === 0;

/** Declares tests that mount. `file` is the test file itself. */
export function describeMounting(name: string, file: string, tests: () => void): void {
  const here = isRoot && succeeds("unshare", "-m", "true");
  if (here) return void describe(name, tests);
  const inNamespace = !isRoot && succeeds("unshare", "-rm", "true");
  test.skipIf(!inNamespace)(`${name} (in a user namespace; skipped where there is none)`, () => {
    const bun = [process.execPath, `--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
    const again = spawnSync("unshare", ["-rm", ...bun, "test", "--timeout=60000", file], {
      encoding: "utf8",
    });
    expect(again.status === 0 ? "passed" : again.stderr).toBe("passed");
  });
}

export interface Mounted {
  path: string;
  [Symbol.dispose](): void;
}

function mount(path: string, ...args: string[]): void {
  const { status, stderr } = spawnSync("mount", [...args, path], { encoding: "utf8" });
  if (status !== 0) throw new Error(`mount failed: ${stderr}`);
}

/** A disk of so many kilobytes. */
export function smallDisk(kilobytes: number, at?: string): Mounted {
  const folder = temporaryFolder();
  const path = at ?? folder.path;
  mkdirSync(path, { recursive: true });
  mount(path, "-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs");
  return { path, [Symbol.dispose]: () => unmount(path, folder) };
}

/** The same folder once more, where nothing can be written: to root permissions would say nothing. */
export function readOnlyView(of: string): Mounted {
  const folder = temporaryFolder();
  const path = join(folder.path, "view");
  mkdirSync(path);
  mount(path, "--bind", of);
  mount(path, "-o", "remount,bind,ro");
  return { path, [Symbol.dispose]: () => unmount(path, folder) };
}

function unmount(path: string, folder: Disposable): void {
  // Lazily: what is still open there must not keep the mount for ever.
  spawnSync("umount", ["-l", path]);
  folder[Symbol.dispose]();
}
