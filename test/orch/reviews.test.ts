/** [A12] A second pair of eyes: a reviewer gets task, diff and result, and approves or sends back. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answerIn } from "../../src/orch/review-text.ts";
import { root } from "../support/cli.ts";
import { begun, type Crew, crew } from "../support/crew.ts";
import { type Repository, repositoryIn } from "../support/repository.ts";
import { until } from "../support/until.ts";

interface Shop extends Disposable {
  team: Crew;
  repository: Repository;
  /** Pushes a script that is reviewed, waits for the one result, and answers with its text and payload. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  work(script: string, ...more: string[]): Promise<{ text: string; payload: Record<string, any> }>;
  /** What the reviewers were told, one a round. */
  prompts(): string[];
  read(name: string): string;
}

/** Its answers are the files answer-1, answer-2 and so on; the last stays. */
const reviewer = `
n=$(($(ls "$HOME" | grep -c '^asked-') + 1))
cat >"$HOME/asked-$n"
[ -e "$HOME/answer-$n" ] && . "$HOME/answer-$n" || . "$HOME/answer"
`;

const toml = `
[runners.eyes]
command = ["sh", "./reviewer.sh"]
[runners.again]
command = ["sh", "-c", "{prompt}"]
resume = ["sh", "-c", "cat >>$HOME/resumed; echo mended >>readme.txt; echo mended"]
`;

const approve = `echo 'Fine. {"verdict": "approve", "findings": []}'`;
const sendBack = (text: string, file = "readme.txt") =>
  `echo 'Look:'; echo '{"verdict": "send_back", "findings": [{"file": "${file}", "line": 2, "text": "${text}"}]}'`;

async function shop(answers: Record<string, string>, more = toml): Promise<Shop> {
  const team = await crew(more);
  writeFileSync(join(team.path, "reviewer.sh"), reviewer);
  for (const [name, answer] of Object.entries(answers)) writeFileSync(join(team.path, name), answer);
  const repository = repositoryIn(team.path);
  return {
    team,
    repository,
    async work(script, ...options) {
      const { json } = await team.orch(
        "handoff",
        "name=t",
        "worktree=yes",
        "review=eyes",
        ...options,
        script,
      );
      expect(json.messages).toHaveLength(1);
      return { text: json.message, payload: JSON.parse(json.messages[0].metadata_json) };
    },
    prompts: () =>
      readdirSync(team.path)
        .filter((name) => name.startsWith("asked-"))
        .sort()
        .map((name) => readFileSync(join(team.path, name), "utf8")),
    read: (name) => readFileSync(join(team.path, name), "utf8"),
    [Symbol.dispose]: () => team[Symbol.dispose](),
  };
}

test.concurrent("[A12] a reviewer gets task, diff and result; what it sends back is fixed, and the parent hears one result", async () => {
  using here = await shop({
    "answer-1": sendBack("say more"),
    answer: `pwd >"$HOME/where"; echo spoilt >readme.txt; ${approve}`,
  });
  const { text, payload } = await here.work("echo first >>readme.txt; echo did it", "profile=again");
  expect(payload.review).toEqual({
    verdict: "approved",
    rounds: 2,
    findings: [{ round: 1, file: "readme.txt", line: 2, text: "say more" }],
    profile: "eyes",
  });
  expect(text).toContain("Its reviewer (eyes) approved it in round 2.");
  expect(here.read("resumed")).toContain("What was found:\n\n- readme.txt:2: say more");
  const [first, second] = here.prompts() as [string, string];
  expect(first).toContain("> echo first >>readme.txt; echo did it");
  expect(first).toContain("> +first");
  expect(first).toContain("Its final message:\n\n> did it");
  expect(second).toContain("> +mended");
  expect(second).toContain("> readme.txt:2: say more");
  // It looked at a checkout of its own, which is gone; the branch has only what the sub-agent did.
  const { worktree, review } = (await here.team.orch("show", "t")).json.task;
  expect(here.read("where").trim()).not.toBe(worktree.path);
  expect(existsSync(here.read("where").trim())).toBe(false);
  expect(here.repository.at("orch/t", "readme.txt")).toBe("hello\nfirst\nmended");
  expect(here.repository.git("branch", "--list", "orch/*").replace(/^[+* ]+/gm, "")).toBe("orch/t");
  expect(review).toMatchObject({ profile: "eyes", max_rounds: 3, verdict: "approved", rounds: 2 });
  const { finished } = (await here.team.orch("queue")).json;
  expect(
    finished.map(({ name, review_of, parent }: Record<string, string>) => [name, review_of, parent]),
  ).toEqual([
    ["t-review-1", "t", "t"],
    ["t-review-2", "t", "t"],
    ["t", null, "main"],
  ]);
  expect((await here.team.inbox("mail", "--agent", "t")).json.messages).toEqual([]);
});

test.concurrent("[A12] after the last round the task has failed with the findings, and its branch is kept", async () => {
  using here = await shop({ answer: sendBack("still wrong") });
  const { payload } = await here.work(
    "echo more >>readme.txt; echo done",
    "profile=again",
    "review-rounds=2",
  );
  expect(payload).toMatchObject({
    success: false,
    reason: "review",
    error: "its reviewer sent it back 2 times: readme.txt:2: still wrong",
    partial_output: "mended",
    review: { verdict: "sent_back", rounds: 2, findings: [{ round: 1 }, { round: 2, text: "still wrong" }] },
    worktree: { branch: "orch/t" },
  });
  expect(here.prompts()).toHaveLength(2);
  const shown = (await here.team.human("orch", "show", "t")).stdout;
  expect(shown).toContain("by eyes, 2 rounds: sent back\n           round 1: readme.txt:2: still wrong");
});

test.concurrent.each([
  ["fails", "echo broken >&2; exit 3", "", "the reviewer t-review-1 failed: it exited with status 3: broken"],
  [
    "takes too long",
    "exec sleep 1000",
    "timeout = 0.3",
    "the reviewer t-review-1 failed: it exceeded its timeout of 0.3 seconds and was killed",
  ],
])(
  "[A12] a reviewer that %s has not judged: the task has succeeded, and the result says so",
  async (...given) => {
    const [, answer, timeout, error] = given;
    using here = await shop({ answer }, toml.replace("[runners.again]", `${timeout}\n[runners.again]`));
    const { text, payload } = await here.work("echo done");
    expect(payload).toMatchObject({
      success: true,
      review: { verdict: "none", rounds: 1, findings: [], profile: "eyes", error },
    });
    expect(text).toBe(`done\n\n(It was not reviewed: ${error}.)`);
  },
);

test.concurrent("[A12] a profile's review, in a plain folder and by an ACP agent, that takes the only place there is", async () => {
  const agent = JSON.stringify([process.execPath, join(root, "test/support/acp-agent.ts")]);
  const verdict = JSON.stringify({ verdict: "approve", findings: ["Well done."] });
  using team = await crew(
    `[runners.acp]\nkind = "acp"\ncommand = ${agent}\n[runners.acp.env]\nACP_ALWAYS = ${JSON.stringify(
      JSON.stringify([{ ask: "rm -rf /", kind: "delete", path: "readme.txt" }, { say: `Yes: ${verdict}` }]),
    )}\n[profiles.reviewed]\nrunner = "sh"\nreview = "acp"\n`,
  );
  const file = join(team.path, ".agents/agents.toml");
  writeFileSync(file, `max_running = 1\n${readFileSync(file, "utf8")}`);
  const { json } = await team.orch("handoff", "profile=reviewed", "name=t", "echo done");
  expect(json.message).toBe(
    "done\n\n(Its reviewer (acp) approved it in round 1, with 1 finding: Well done.)",
  );
  const show = (await team.orch("show", "t-review-1")).json.task;
  expect(show).toMatchObject({
    permission: "reject",
    review_of: "t",
    review: null,
    worktree: null,
    cwd: team.path,
  });
  expect((await team.orch("log", "t-review-1")).stdout).toContain(
    'refused what it asked for, as permission = \\"reject\\": rm -rf /',
  );
});

test.concurrent("[A12] a task that is killed while it is reviewed ends its reviewer, and reports earlier findings", async () => {
  using here = await shop({ "answer-1": sendBack("more"), answer: 'touch "$HOME/second"; exec sleep 1000' });
  const { team } = here;
  await team.orch(
    "assign",
    "again",
    "name=t",
    "worktree=yes",
    "review=eyes",
    "echo x >>readme.txt; echo done",
  );
  await begun(team, "second");
  expect((await team.orch("queue")).json.running.map(({ name }: { name: string }) => name)).toEqual([
    "t",
    "t-review-2",
  ]);
  await team.orch("kill", "t");
  const { messages } = (await team.inbox("receive", "--agent", "main")).json;
  expect(JSON.parse(messages[0].metadata_json)).toMatchObject({
    reason: "killed",
    review: { verdict: "sent_back", rounds: 1, findings: [{ text: "more" }] },
  });
  await until("its reviewer has ended", async () => {
    const { task } = (await team.orch("show", "t-review-2")).json;
    return task.status === "finished" && task.reason === "killed";
  });
});

test.concurrent("[A12] an unknown reviewer, a review of a running worker, and rounds without a review are refused", async () => {
  using team = await crew('[profiles.p]\nrunner = "sh"\nreview = "sh"\n');
  const said = async (...args: string[]) => {
    const { code, json } = await team.orch("push", ...args, "x");
    return [code, json.error?.message ?? json.task.review?.profile ?? null];
  };
  expect(await said("review=nobody")).toEqual([30, 'there is no profile "nobody"']);
  expect(await said("worker=w", "review=sh")).toEqual([
    30,
    'review=sh has no effect: "w" is already running',
  ]);
  expect(await said("review-rounds=2")).toEqual([30, "--review-rounds has no effect: there is no reviewer"]);
  expect(await said("profile=p")).toEqual([0, "sh"]);
  expect(await said("profile=p", "review=none")).toEqual([0, null]);
});

test("[A12] a verdict is the last JSON object that has one; without it, or sent back without a finding, there is none", () => {
  const found = (text: string) => answerIn(text)?.verdict;
  expect(found('{"verdict": "approve"}')).toBe("approved");
  expect(
    found('Not {"verdict": "approve"} but\n```json\n{"verdict": "send_back", "findings": ["a } b"]}\n```\n'),
  ).toBe("sent_back");
  expect(found('{"verdict": "send back", "findings": [{"text": "x", "note": {"a": 1}}]} (It asked.)')).toBe(
    "sent_back",
  );
  for (const unclear of [
    "It looks {fine} to me.",
    '{"verdict": "send_back", "findings": []}',
    '{"verdict": "hm"}',
    "{".repeat(100_000),
  ])
    expect(found(unclear)).toBeUndefined();
  const [finding] = answerIn(
    '{"verdict": "approve", "findings": [{"file": "", "line": "3", "text": " y "}]}',
  )!.findings;
  expect(finding).toEqual({ file: null, line: null, text: "y" });
});
