/** bin/inbox of a checkout: which program it runs, and when it looks at the sources. */
import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

/** A checkout with a program that was built at minute 10, and a `find` that tells that it was called. */
function layCheckout(path: string) {
  const at = (name: string) => join(path, name);
  for (const folder of ["bin", "dist", "src", "web", ".git", "tools"]) mkdirSync(at(folder));
  copyFileSync(join(root, "bin/inbox"), at("bin/inbox"));
  for (const name of ["package.json", "src/main.ts", ".git/index"]) writeFileSync(at(name), "");
  writeFileSync(at("dist/inbox"), "#!/bin/sh\necho built\n");
  writeFileSync(at("tools/find"), `#!/bin/sh\ntouch "${at("looks")}"\nexec /usr/bin/find "$@"\n`);
  for (const name of ["bin/inbox", "dist/inbox", "tools/find"]) chmodSync(at(name), 0o755);
  const setTime = (name: string, minute: number) =>
    utimesSync(at(name), new Date(2026, 0, 1, 0, minute), new Date(2026, 0, 1, 0, minute));
  for (const name of ["package.json", "src/main.ts", "src", "web"]) setTime(name, 5);
  setTime("dist/inbox", 10);
  return {
    setTime,
    async runs() {
      rmSync(at("looks"), { force: true });
      const PATH = `${at("tools")}:${process.env.PATH}`;
      const { code, stdout, stderr } = await run([], { program: [at("bin/inbox")], env: { PATH } });
      return { code, said: stdout + stderr, looks: existsSync(at("looks")) };
    },
  };
}

const built = { code: 0, said: "built\n" };

test("[I1.5] the sources are looked at once after git has touched its index", async () => {
  using folder = temporaryFolder();
  const checkout = layCheckout(folder.path);
  checkout.setTime(".git/index", 8);
  expect(await checkout.runs()).toEqual({ ...built, looks: false });
  checkout.setTime(".git/index", 12);
  expect(await checkout.runs()).toEqual({ ...built, looks: true });
  expect(await checkout.runs()).toEqual({ ...built, looks: false });
  utimesSync(join(folder.path, ".git/index"), new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));
  expect(await checkout.runs()).toEqual({ ...built, looks: true });
});

test("[I1.5] a source that is newer than the program is run in its place, each time", async () => {
  using folder = temporaryFolder();
  const checkout = layCheckout(folder.path);
  checkout.setTime(".git/index", 12);
  checkout.setTime("src/main.ts", 11);
  for (let round = 0; round < 2; round++) {
    const { code, said, looks } = await checkout.runs();
    expect([code, looks]).toEqual([50, true]);
    expect(said).toContain("not installed yet");
  }
});
