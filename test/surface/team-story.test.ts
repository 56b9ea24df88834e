/** [A10] docs/team.md, run as it stands there. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, program, root } from "../support/cli.ts";
import { processesOf, strike } from "../support/crew.ts";
import { temporaryFolder } from "../support/folder.ts";

test.skipIf(!Bun.which("jq"))(
  "[A10] the story of the document: three branches merged, an approval in between",
  async () => {
    using folder = temporaryFolder();
    const bin = join(folder.path, "bin");
    mkdirSync(bin);
    for (const name of ["inbox", "orch"]) symlinkSync(program, join(bin, name));
    const blocks = [...readFileSync(join(root, "docs/team.md"), "utf8").matchAll(/^```bash\n(.*?)^```$/gms)];
    const marked = blocks.map(([, text], n) => `echo "=== ${n}"\n${text}`).join("\n");
    const child = Bun.spawn(["bash", "-eu", "-c", marked], {
      cwd: folder.path,
      env: bareEnvironment({
        PATH: `${bin}:${process.env.PATH}`,
        HOME: folder.path,
        XDG_STATE_HOME: join(folder.path, "state"),
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "Ada",
        GIT_AUTHOR_EMAIL: "ada@example.org",
        GIT_COMMITTER_NAME: "Ada",
        GIT_COMMITTER_EMAIL: "ada@example.org",
      }),
      stdout: "pipe",
      stderr: "pipe",
    });
    try {
      const [said, complained] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect([await child.exited, complained]).toEqual([0, expect.anything()]);
      const parts = said.split(/^=== \d+\n/m).slice(1);
      const [, results, checkout, merged, refused, reviewed, , end] = parts;
      for (const name of ["pay", "ship", "terms"])
        expect(results).toContain(`Its changes are on the branch orch/${name}: 1 commit, 1 file, +1 -0.`);
      expect(checkout).toBe("README.md\n");
      expect(merged).toContain("+Ships in a day.");
      expect(merged!.match(/^merged into next/gm)).toHaveLength(2);
      expect(refused).toContain("the check command failed; nothing was merged");
      expect(refused).toEndWith("not merged\n");
      expect(reviewed).toContain("Its reviewer (critic) approved it in round 1.");
      const lines = end!.split("\n");
      expect(lines[0]).toStartWith("Merge orch/lawyer: ");
      expect(lines).toContain("You buy, we ship.");
      expect(lines.filter((line) => line.includes('"action":"answered"'))).toHaveLength(1);
      expect(end).toContain("none is left");
    } finally {
      for (const { pid } of processesOf(folder.path)) strike(pid);
    }
  },
);
