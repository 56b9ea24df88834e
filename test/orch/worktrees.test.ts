/** [A1] [A2] A worktree and a branch for each task; merging one at a time, with a check; nothing of the person's checkout is touched. */
import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, limited } from "../../src/orch/worktree/git.ts";
import { orch, run } from "../support/cli.ts";
import { begun, type Crew, crew, strikeAll } from "../support/crew.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Repository, repositoryIn } from "../support/repository.ts";
import { until } from "../support/until.ts";

interface Shop {
  team: Crew;
  repository: Repository;
  /** Starts a script in a worktree and waits for its end. */
  work(name: string, script: string, ...more: string[]): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  task(name: string): Promise<Record<string, any>>;
  worktrees(): string[];
  [Symbol.dispose](): void;
}

const shell = '[runners.sh]\ncommand = ["sh", "-c", "{prompt}"]\n';

/** `top` is what the file of profiles says for all of them. */
async function shop(toml = "", files?: Record<string, string>, top = ""): Promise<Shop> {
  const team = await crew();
  writeFileSync(join(team.path, ".agents/agents.toml"), `default = "sh"\n${top}\n${shell}${toml}`);
  const repository = repositoryIn(team.path, files);
  const folder = join(team.path, ".local/state/restante/worktrees");
  return {
    team,
    repository,
    async work(name, script, ...more) {
      const { json } = await team.orch("handoff", `name=${name}`, "worktree=yes", ...more, script);
      return json.message ?? JSON.stringify(json);
    },
    task: async (name) => (await team.orch("show", name)).json.task,
    worktrees: () =>
      (existsSync(folder) ? readdirSync(folder).flatMap((bus) => readdirSync(join(folder, bus))) : [])
        // The lock of merges stays, and is free.
        .filter((name) => !name.startsWith("merging-")),
    [Symbol.dispose]: () => team[Symbol.dispose](),
  };
}

test("[A1] a task works on its own branch, and its result says what is on it", async () => {
  using here = await shop();
  const { repository, team } = here;
  const before = repository.state();
  const said = await here.work(
    "fix",
    "pwd; echo more >>readme.txt; git commit -qam 'Say more' && echo x >new.txt",
  );
  expect(said).toEndWith("\n\n(Its changes are on the branch orch/fix: 2 commits, 2 files, +2 -0.)");
  const { worktree } = await here.task("fix");
  expect(worktree).toMatchObject({
    ...{ state: "kept", branch: "orch/fix", base: repository.git("rev-parse", "main"), into: "main" },
    ...{ commits: 2, files: 2, insertions: 2, deletions: 0, merged_into: null },
  });
  expect(said.startsWith(worktree.path)).toBe(true);
  expect(worktree.path.startsWith(repository.path)).toBe(true);
  expect(repository.at("orch/fix", "new.txt")).toBe("x");
  expect(repository.state()).toBe(before);
  const diff = (await team.orch("diff", "fix")).json;
  expect(diff.commits.map(({ subject }: { subject: string }) => subject)).toEqual([
    "Say more",
    expect.stringMatching(/^fix: pwd; /),
  ]);
  expect(diff.changes).toEqual([
    { path: "new.txt", insertions: 1, deletions: 0 },
    { path: "readme.txt", insertions: 1, deletions: 0 },
  ]);
  expect(diff.patch).toContain("+more");
  expect((await team.human("orch", "diff", "fix")).stdout).toContain("  readme.txt +1 -0\n");
});

test("[Q6.4] the time of a task counts from the start of its program, and that of prepare separately", async () => {
  using here = await shop('[profiles.stuck]\nrunner = "sh"\nprepare = ["sleep", "600"]\n');
  const { repository, team } = here;
  // What the machine takes to make the worktree is longer than the task may run.
  repository.commit("Slow to check out", { ".gitattributes": "*.txt filter=slow\n" });
  repository.git("config", "filter.slow.smudge", "sleep 1.1; cat");
  expect(await here.work("quick", "echo it ran", "timeout=1")).toBe("it ran");
  // One that is never made can be killed.
  const begun = join(team.path, "begun");
  repository.git("config", "filter.slow.smudge", `touch ${begun}; sleep 600`);
  await team.push("never", "echo it ran", "worktree=yes");
  await team.orch("run");
  await until("git checks out", () => existsSync(begun));
  await team.orch("kill", "never");
  expect(await team.hear()).toMatchObject([{ from: "never", success: false, error: 'killed by "main"' }]);
  expect(team.processes().filter(({ command }) => /git|sleep/.test(command))).toEqual([]);
  repository.git("config", "--unset", "filter.slow.smudge");
  expect(await here.work("late", "echo it ran", "timeout=0.3", "profile=stuck")).toContain(
    "it exceeded its timeout of 0.3 seconds and was killed",
  );
});

test("[A1] git that takes too long is ended with what it has started, and its locks are gone", async () => {
  using folder = temporaryFolder();
  const repository = repositoryIn(folder.path);
  const filter = join(folder.path, "filter");
  repository.commit("Never read", { ".gitattributes": "*.dat filter=stuck\n" });
  repository.git("config", "filter.stuck.clean", `echo $$ >${filter}; sleep 600`);
  repository.write("new.dat", "x");
  const over = new AbortController();
  const adding = limited(over.signal, () => git(repository.path, ["add", "new.dat"]));
  const ended = adding.then(
    () => "added",
    (error) => error.code,
  );
  await until("the filter runs", () => existsSync(filter) && readFileSync(filter, "utf8").trim() !== "");
  over.abort();
  expect(await ended).toBe("invalid_state");
  const pid = readFileSync(filter, "utf8").trim();
  await until("the filter has ended", () => !existsSync(`/proc/${pid}`));
  expect(existsSync(join(folder.path, ".git/index.lock"))).toBe(false);
  const again = limited(over.signal, () => git(repository.path, ["status"]));
  expect(await again.catch((error) => error.code)).toBe("busy");
});

test("[A2] a name that is used again means the newest task; an earlier one is reached by its id or branch", async () => {
  using here = await shop();
  const { repository, team } = here;
  await here.work("fix", "echo one >one.txt");
  const first = { id: "task_1", branch: "orch/fix" };
  const again = await team.orch("assign", "name=fix", "worktree=yes", "echo two >two.txt");
  expect(again.json.others).toEqual([first]);
  await team.orch("handoff", "--terminal-id", "fix");
  expect(await here.task("fix")).toMatchObject({ id: "task_2", worktree: { branch: "orch/fix-2" } });
  expect((await team.orch("diff", "fix")).json).toMatchObject({ branch: "orch/fix-2", others: [first] });
  const { stdout } = await team.human("orch", "discard", "fix");
  expect(stdout).toContain("note an earlier task of this name has the branch orch/fix: orch diff task_1\n");
  const gone = await team.orch("merge", "fix");
  expect([gone.json.error.message, gone.json.error.hint]).toEqual([
    'the worktree of "fix" was already discarded',
    "an earlier task of this name has the branch orch/fix: orch diff task_1",
  ]);
  const diffs = await Promise.all(["task_1", "orch/fix"].map((meant) => team.orch("diff", meant)));
  expect(diffs.map(({ json }) => json.patch.includes("+one"))).toEqual([true, true]);
  repository.git("branch", "side");
  expect((await team.orch("merge", "task_1", "--into", "side")).json).toMatchObject({
    merged: true,
    others: [],
  });
  expect(repository.at("side", "one.txt")).toBe("one");
});

test("[A1] plain folders, untouched worktrees and those that may only read leave nothing behind", async () => {
  using here = await shop();
  expect(await here.work("look", "cat readme.txt")).toBe("hello");
  expect((await here.task("look")).worktree).toMatchObject({ state: "empty", commits: 0 });
  expect(here.repository.git("branch", "--list", "orch/*")).toBe("");
  expect(here.worktrees()).toEqual([]);
  // Nobody says of a command what it may do: it works where it always has.
  const { json } = await here.team.orch("handoff", "name=usual", "pwd");
  expect([json.message, (await here.task("usual")).worktree]).toEqual([here.team.path, null]);
  const none = await here.team.orch("merge", "usual");
  expect([none.json.error.code, none.json.error.message]).toEqual([
    "invalid_state",
    `"usual" has no worktree of its own: it works directly in ${here.team.path}`,
  ]);
});

test("[A1] with_changes includes uncommitted changes; without it the result says what was left out", async () => {
  using here = await shop();
  const { repository } = here;
  repository.write("readme.txt", "edited\n");
  repository.write("untracked.txt", "new\n");
  const before = repository.state();
  expect(await here.work("blind", "cat readme.txt; ls")).toBe(
    `hello\nreadme.txt\n\n(It did not see 2 uncommitted changes in ${repository.path}.)`,
  );
  expect(await here.work("seeing", "cat readme.txt untracked.txt", "--with-changes")).toBe("edited\nnew");
  expect(await here.work("both", "echo z >z.txt", "--with-changes")).toContain("1 commit, 1 file, +1 -0");
  expect(repository.state()).toBe(before);
});

test("[A1] share links files, prepare runs first, and its failure is the task's", async () => {
  using here = await shop(
    `[profiles.ready]
runner = "sh"
share = [".env.local", "missing.txt", "lib"]
prepare = ["sh", "-c", "cat .env.local >prepared.log"]
[profiles.broken]
runner = "sh"
prepare = ["sh", "-c", "echo no network >&2; exit 3"]
`,
    { ".gitignore": ".env*\n*.log\nlib/\n", "a.txt": "a\n" },
    'prepare = ["true"]',
  );
  here.repository.write(".env.local", "KEY=1\n");
  // A link to a folder is not what "lib/" ignores; all the same it is not committed.
  here.repository.write("lib/big.txt", "big\n");
  expect(await here.work("ready", "cat prepared.log lib/big.txt; echo b >b.txt", "profile=ready")).toBe(
    `KEY=1\nbig\n\n(Its changes are on the branch orch/ready: 1 commit, 1 file, +1 -0. missing.txt could not be shared: ${here.repository.path} does not have it.)`,
  );
  const { json } = await here.team.orch(
    "handoff",
    "name=broken",
    "profile=broken",
    "worktree=yes",
    "touch started",
  );
  expect(json.messages[0].message).toContain("its worktree could not be prepared: sh -c echo no network");
  expect(await here.task("broken")).toMatchObject({
    success: false,
    reason: "refused",
    worktree: { state: "empty" },
  });
});

test("[A2] a merge is made elsewhere and checked, then the branch moves; a checkout of it only with a word", async () => {
  using here = await shop(
    "",
    undefined,
    'check = ["sh", "-c", "test ! -e bad.txt || { echo bad is here; exit 1; }"]',
  );
  const { repository, team } = here;
  await here.work("good", "echo good >good.txt");
  await here.work("bad", "echo bad >bad.txt");
  const before = repository.state();
  const refused = await team.orch("merge", "good");
  expect([refused.code, refused.json.error.code, refused.json.error.message]).toEqual([
    30,
    "invalid_state",
    `the branch main is checked out in ${repository.path}, which would have to be updated too`,
  ]);
  expect(repository.state()).toBe(before);
  repository.git("branch", "side");
  const failed = await team.orch("merge", "bad", "--into", "side");
  expect([failed.code, failed.json]).toMatchObject([
    1,
    { merged: false, reason: "check", told: null, output: expect.stringContaining("bad is here") },
  ]);
  expect(repository.git("rev-parse", "side")).toBe(repository.git("rev-parse", "main"));
  const merged = await team.orch("merge", "good", "--update-checkout");
  expect([merged.code, merged.json]).toMatchObject([0, { merged: true, into: "main", already: false }]);
  expect([repository.read("good.txt"), repository.git("status", "--porcelain")]).toEqual(["good\n", ""]);
  expect(repository.git("log", "-1", "--format=%s")).toBe("Merge orch/good: echo good >good.txt");
  expect(await here.task("good")).toMatchObject({ worktree: { state: "merged", merged_into: "main" } });
  expect(repository.git("branch", "--list", "orch/*")).toBe("+ orch/bad");
  expect((await team.orch("merge", "good")).json).toMatchObject({ merged: true, already: true });
  const { json } = await team.orch("discard", "bad");
  expect(repository.at(json.commit, "bad.txt")).toBe("bad");
  expect([repository.git("branch", "--list", "orch/*"), here.worktrees()]).toEqual(["", []]);
});

test("[A2] squash and rebase, and uncommitted changes in the way of a checkout", async () => {
  using here = await shop("", { "a.txt": "a\n" });
  const { repository, team } = here;
  const commits =
    'for n in 1 2; do echo $n >$INBOX_AGENT-$n; git add . && git commit -qm "$INBOX_AGENT $n"; done';
  await here.work("s", commits);
  await here.work("r", commits);
  await here.work("late", "echo late >>a.txt");
  repository.git("branch", "side");
  repository.git("commit", "--allow-empty", "-qm", "meanwhile");
  expect((await team.orch("merge", "s", "--squash", "--into", "side")).json.merged).toBe(true);
  expect((await team.orch("merge", "r", "--rebase", "--into", "side")).json.merged).toBe(true);
  expect(repository.git("log", "--format=%s", "side")).toBe(`r 2\nr 1\ns: ${commits}\nfirst`);
  repository.write("a.txt", "mine\n");
  const before = repository.state();
  const refused = await team.orch("merge", "late", "--update-checkout");
  expect([refused.json.error.code, refused.json.error.message]).toEqual([
    "conflict",
    expect.stringContaining("would be overwritten"),
  ]);
  expect([repository.state(), repository.read("a.txt")]).toEqual([before, "mine\n"]);
});

test("[A1] nested tasks branch from their parent's branch, and are merged into it", async () => {
  using here = await shop();
  const script = [
    "echo top >top.txt; git add . && git commit -qm top",
    "orch handoff name=below worktree=yes -- 'cat top.txt; echo below >below.txt' >/dev/null",
    "orch merge below --update-checkout >/dev/null; cat below.txt; git log --format=%s -1 orch/top",
  ].join("; ");
  expect(await here.work("top", script)).toStartWith(
    "below\nMerge orch/below: cat top.txt; echo below >below.txt\n",
  );
  expect(await here.task("below")).toMatchObject({ worktree: { into: "orch/top", merged_into: "orch/top" } });
});

test("[A2] [A4] a conflict goes back to the sub-agent's session, which continues in the same task", async () => {
  const resumes = `[runners.again]
command = ["sh", "-c", "echo again >readme.txt; cat >>told.log"]
resume = ["sh", "-c", "cat >>told.log; git merge -q main >/dev/null; echo both >readme.txt; git commit -qam both; echo resolved"]
`;
  using here = await shop(resumes, { "readme.txt": "hello\n", ".gitignore": "*.log\n" });
  const { repository, team } = here;
  await here.work("a", "do it", "profile=again");
  repository.commit("theirs", { "readme.txt": "theirs\n" });
  repository.git("branch", "side", "main");
  const conflict = { merged: false, reason: "conflict", conflicts: ["readme.txt"] };
  const told = (await team.orch("merge", "a", "--into", "side", "--no-resume")).json;
  expect([told, (await here.task("a")).status]).toMatchObject([{ ...conflict, told: null }, "finished"]);
  const { json } = await team.orch("merge", "a", "--into", "side");
  expect(json).toMatchObject({ ...conflict, told: "a" });
  const again = await team.orch("handoff", "--terminal-id", "a");
  expect(again.json.message).toStartWith("resolved");
  const task = await here.task("a");
  expect(task).toMatchObject({ success: true, prompt: "do it", worktree: { state: "kept" } });
  expect(readFileSync(join(task.worktree.path, "told.log"), "utf8")).toContain(
    "The branch orch/a conflicts with side in readme.txt.",
  );
  expect((await team.orch("merge", "a", "--into", "side")).json).toMatchObject({ merged: true });
  expect(repository.at("side", "readme.txt")).toBe("both");
  // What it does next is for where its work is now.
  const side = repository.commit("others", { "b.txt": "b\n" });
  repository.git("branch", "--force", "side", side);
  const { stdout } = await team.human("orch", "send", "a", "and more");
  expect(stdout).toBe(
    "a resumes with it\nits earlier changes were merged into side; it begins from there, on a new branch\n",
  );
  await team.orch("handoff", "--terminal-id", "a");
  expect((await here.task("a")).worktree).toMatchObject({ base: side, into: "side" });
  await team.orch("discard", "a");
  expect((await team.orch("send", "a", "once more")).json.begins).toEqual({
    from: "side",
    earlier: "discarded",
  });
});

test("[A4] orch send goes to the inbox of one that runs, and is another turn of one that has ended", async () => {
  const resumes = `[runners.talks]
command = ["sh", "-c", "cat"]
resume = ["sh", "-c", "echo heard: $(cat)"]
`;
  using here = await shop(resumes);
  const { team } = here;
  await team.orch("assign", "name=waits", "inbox receive --json");
  expect((await team.orch("send", "waits", "go on")).json).toMatchObject({ delivered: "inbox" });
  expect((await team.hear())[0]!.text).toContain('"message":"go on"');
  const never = await team.orch("send", "waits", "again");
  expect([never.json.error.code, never.json.error.message]).toEqual([
    "invalid_state",
    '"waits" has finished, and its program cannot resume a session',
  ]);
  expect((await team.orch("send", "main", "hello")).json.error.hint).toStartWith("inbox send main");
  await team.orch("handoff", "profile=talks", "name=talks", "first");
  expect((await team.orch("send", "talks", "second")).json).toMatchObject({
    delivered: "turn",
    task: { name: "talks" },
  });
  expect(await team.hear()).toMatchObject([{ from: "talks", text: "heard: second", success: true }]);
});

test("[A1] repositories that git worktrees do not suit are refused with a reason, or worked in as they are", async () => {
  using here = await shop("", {});
  const { repository, team } = here;
  const push = async (cwd: string, ...more: string[]) => {
    const { json } = await team.orch("push", "worktree=yes", "--cwd", cwd, ...more, "true");
    return json.error?.message;
  };
  expect(await push(repository.path)).toBe(
    `the task cannot have a worktree: the repository ${repository.path} has no commit yet`,
  );
  expect(await push("/")).toBe("the task cannot have a worktree: / is in no git repository");
  repository.commit("first", { "a b/c.txt": "c\n" });
  expect(
    (await here.work("sub", "pwd; ls", "--cwd", join(repository.path, "a b"))).split("\n").slice(1),
  ).toEqual(["c.txt"]);
  const inner = repositoryIn(join(team.path, "inner"));
  repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "mod");
  repository.commit("with a submodule");
  expect(await push(repository.path)).toBe(
    `the task cannot have a worktree: the repository ${repository.path} has submodules`,
  );
  expect(await push(join(repository.path, "mod"))).toContain("is a submodule of");
  expect((await team.orch("push", "worker=w", "--with-changes", "x")).json.error.message).toContain(
    "already running in a folder of its own",
  );
});

test("[A1] sparse checkouts stay sparse, filters run, and variables of git's caller change nothing", async () => {
  using here = await shop("", {
    "in/a.txt": "a\n",
    "out/b.txt": "b\n",
    ".gitattributes": "*.big filter=lfs\n",
  });
  const { repository, team } = here;
  writeFileSync(join(team.path, "smudge.sh"), '#!/bin/sh\necho "smudged: $(cat)"\n');
  chmodSync(join(team.path, "smudge.sh"), 0o755);
  repository.git("config", "filter.lfs.smudge", join(team.path, "smudge.sh"));
  repository.git("config", "filter.lfs.clean", "sed s/^smudged:.//");
  repository.git("config", "filter.lfs.required", "true");
  writeFileSync(join(repository.path, ".git/info/exclude"), ".agents\n.local\nsmudge.sh\n");
  repository.commit("big", { "in/x.big": "pointer\n" });
  repository.git("sparse-checkout", "set", "in");
  expect(await here.work("sparse", "ls; cat in/x.big")).toBe("in\nsmudged: pointer");
  const env = { HOME: team.path, XDG_STATE_HOME: join(team.path, ".local/state") };
  const misleading = {
    GIT_DIR: "/nonexistent",
    GIT_WORK_TREE: "/nonexistent",
    GIT_INDEX_FILE: "/nonexistent/index",
  };
  const { json } = await run(["handoff", "name=far", "worktree=yes", "--json", "--", "echo ok >in/ok.txt"], {
    program: [orch],
    cwd: team.path,
    env: { ...env, ...misleading },
  });
  expect([json.success, (await here.task("far")).worktree]).toMatchObject([true, { commits: 1, files: 1 }]);
});

test("[A1] a killed machine leaves nothing unknown: the worktree is recorded before it is created, and doctor lists unknown ones", async () => {
  using here = await shop();
  const { team, repository } = here;
  await here.work("keep", "echo x >x.txt");
  const doctor = async () =>
    (await team.inbox("doctor")).json.checks.find(({ name }: { name: string }) => name === "worktrees");
  expect(await doctor()).toMatchObject({ status: "ok", detail: "1 is kept until merged or discarded" });
  const orphan = join((await here.task("keep")).worktree.path, "../lost-99");
  repository.git("worktree", "add", "--quiet", "--detach", orphan);
  expect(await doctor()).toMatchObject({ status: "warn", detail: expect.stringContaining(orphan) });
  repository.git("worktree", "remove", orphan);
  team.change("delete from worktrees");
  expect(await doctor()).toMatchObject({ status: "warn", detail: expect.stringContaining("keep-1") });
  // Its keeper dies: what it had written is on its branch, and its parent is told so.
  await team.push("gone", `echo y >y.txt; touch ${team.path}/ready; sleep 1000`, "worktree=yes");
  await team.orch("run");
  await begun(team, "ready");
  await strikeAll(team.keepers());
  const told = (await team.human("inbox", "receive", "--agent", "main")).stdout;
  expect(told).toContain("Its changes are on the branch orch/gone: 1 commit, 1 file, +1 -0.");
  expect(repository.at("orch/gone", "y.txt")).toBe("y");
});

test("[A2] twenty agents edit one repository at once: every edit is merged or its conflict reported, and the checkout is untouched", async () => {
  using here = await shop("", { "shared.txt": "nobody\n", "readme.txt": "hello\n" });
  const { repository, team } = here;
  repository.git("branch", "team");
  repository.write("readme.txt", "my own edit\n");
  const before = repository.state();
  const names = Array.from({ length: 20 }, (_, n) => `agent-${n}`);
  // Every fifth writes to the same line as the others of its kind.
  const script = (n: number) => `echo ${n} >file-${n}.txt${n % 5 === 0 ? `; echo ${n} >shared.txt` : ""}`;
  for (const [n, name] of names.entries()) await team.push(name, script(n), "worktree=yes");
  await team.orch("run");
  const { messages } = (await team.orch("gather", `from=${names.join(",")}`)).json;
  const failed = messages.filter(
    ({ metadata_json }: { metadata_json: string }) => !JSON.parse(metadata_json).success,
  );
  expect(failed).toEqual([]);
  expect(messages).toHaveLength(20);
  const answers = await Promise.all(names.map((name) => team.orch("merge", name, "--into", "team")));
  expect(answers.filter(({ json }) => !json.ok).map(({ stdout }) => stdout)).toEqual([]);
  const merged = answers.flatMap(({ json }, n) => (json.merged ? [n] : []));
  const conflicts = answers.flatMap(({ json }, n) => (json.reason === "conflict" ? [n] : []));
  expect([merged.length, conflicts.length, conflicts.every((n) => n % 5 === 0)]).toEqual([17, 3, true]);
  for (const n of merged) expect(repository.at("team", `file-${n}.txt`)).toBe(String(n));
  for (const n of conflicts) expect(repository.at(`orch/agent-${n}`, "shared.txt")).toBe(String(n));
  expect([repository.state(), repository.read("readme.txt")]).toEqual([before, "my own edit\n"]);
  expect(here.worktrees().sort()).toEqual(conflicts.map((n) => `agent-${n}-${n + 1}`).sort());
});
