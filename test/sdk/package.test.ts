/** The package as `npm pack` makes it: what is in it, and what TypeScript sees of it in a folder that has nothing else. */
import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { bareEnvironment, root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

async function succeeds(command: string[], cwd: string): Promise<string> {
  const env = bareEnvironment({ HOME: cwd });
  const child = Bun.spawn(command, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${out}${error}`);
  return out;
}

/** A program as somebody else would write it; the last line is one that the types must refuse. */
const use = `
import { Inbox, InboxError, type ErrorCode } from "restante";
import { Inbox as Remote } from "restante/client";
import { TxClient } from "restante/tx";

const inbox: Inbox = await Inbox.open("coord.db", { agent: "me", create: true });
const { id } = await inbox.messages.send({ channel: "c", content: "x" });
const next: number = id + 1;
const code: ErrorCode = new InboxError("busy", "x").code;
export { code, next, Remote, TxClient };
// @ts-expect-error: content is a text
await inbox.messages.send({ channel: "c", content: 7 });
`;

test("[C6] the packed package has declarations, and TypeScript needs nothing else of it", async () => {
  using folder = temporaryFolder();
  await succeeds(["node", "scripts/build.mjs", "--declarations"], root);
  // Packed without its scripts: all else has been built before the tests.
  const packed = ["npm", "pack", "--ignore-scripts", "--json", "--pack-destination", folder.path];
  const [{ filename, files }] = JSON.parse(await succeeds(packed, root));
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  for (const { types, default: program } of Object.values(manifest.exports))
    expect(paths).toEqual(expect.arrayContaining([types.slice(2), program.slice(2)]));
  expect(paths.filter((path) => /^(test|bench|web|scripts|node_modules)\/|\.db$/.test(path))).toEqual([]);

  const installed = join(folder.path, "node_modules/restante");
  mkdirSync(installed, { recursive: true });
  await succeeds(["tar", "-xzf", filename, "-C", installed, "--strip-components=1"], folder.path);
  // Declarations, not sources: those may be gone.
  await succeeds(["rm", "-r", join(installed, "src")], folder.path);
  symlinkSync(join(root, "node_modules/valibot"), join(folder.path, "node_modules/valibot"));
  writeFileSync(join(folder.path, "use.mts"), use);
  const flags = ["--strict", "--noEmit", "--target", "esnext", "--types", "", "--lib", "esnext,dom"];
  const tsc = join(root, "node_modules/.bin/tsc");
  await succeeds([tsc, ...flags, "--module", "nodenext", "use.mts"], folder.path);
}, 120_000);
