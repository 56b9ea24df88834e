/** [A12] A second pair of eyes: a reviewer gets task, diff and result, and approves or sends back. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Crew, crew } from "../support/crew.ts";
import { type Repository, repositoryIn } from "../support/repository.ts";

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
  const repository = repositoryIn(team.path);
  for (const [name, answer] of Object.entries(answers)) writeFileSync(join(team.path, name), answer);
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

test("[A12] a reviewer gets task, diff and result; what it sends back is fixed, and the parent hears one result", async () => {
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
  expect(first).toContain("Its result, in its own words:\n\n> did it");
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
