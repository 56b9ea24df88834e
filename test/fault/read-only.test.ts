/** A folder where nothing can be written. */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { desk, run } from "../support/cli.ts";
import { fingerprint } from "../support/fingerprint.ts";
import { foldLog } from "../support/fold-log.ts";
import { temporaryFolder } from "../support/folder.ts";
import { describeMounting, readOnlyView } from "../support/mounts.ts";

const commands = [
  ["list"],
  ["show", "thr_1"],
  ["send", "--from", "l", "--to", "w", "--subject", "s"],
  ["claim", "--agent", "w"],
  ["wait-reply", "thr_1", "--agent", "l", "--timeout-seconds", "1"],
  ["init"],
].map((args) => ({ command: args.join(" "), args }));

describeMounting("a read-only folder", import.meta.path, () => {
  test.each(commands)("[C3] $command in one with a database is refused as storage", async ({ args }) => {
    using bus = await desk();
    expect((await bus.inbox("send", "--from", "l", "--to", "w", "--subject", "s")).code).toBe(0);
    foldLog(join(bus.path, ".agents/coord.db"));
    const before = fingerprint(bus.path);
    using view = readOnlyView(bus.path);
    const result = await run([...args, "--json"], { cwd: view.path });
    expect(result.json.error.code).toBe("storage");
    expect(result.code).toBe(50);
    expect(fingerprint(bus.path)).toEqual(before);
  });

  test("[C3] a database with its log can be read there, and not written", async () => {
    using bus = await desk();
    expect((await bus.inbox("send", "--from", "l", "--to", "w", "--subject", "s")).code).toBe(0);
    using view = readOnlyView(bus.path);
    expect((await run(["list", "--json"], { cwd: view.path })).json.threads).toMatchObject([
      { subject: "s" },
    ]);
    const { code, json } = await run(["cancel", "thr_1", "--agent", "l", "--json"], { cwd: view.path });
    expect([code, json.error.code]).toEqual([50, "storage"]);
  });

  test.each(["the folder itself", "a folder in it", "an existing folder in it"])(
    "[S2] init for %s is refused as storage, not as a bug of ours",
    async (which) => {
      using folder = temporaryFolder();
      mkdirSync(join(folder.path, "there"));
      using view = readOnlyView(folder.path);
      const more = {
        "a folder in it": ["--db", "new/coord.db"],
        "an existing folder in it": ["--db", "there/c.db"],
      };
      const result = await run(["init", "--json", ...(more[which as keyof typeof more] ?? [])], {
        cwd: view.path,
      });
      expect(result.json.error.code).toBe("storage");
      expect(result.code).toBe(50);
    },
  );
});
