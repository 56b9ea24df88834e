/** [Q1] [Q8] A task completed by its profile; settings that would have no effect are refused. */
import type { NewTask } from "../../bus/tasks/add.ts";
import { InboxError } from "../../contract/errors.ts";
import type { ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, field, phrase, type Text } from "../../contract/phrase.ts";
import { noReview } from "../../contract/review.ts";
import { type PermissionAsked, startingCommand } from "../../contract/task.ts";
import { agentIn } from "../../contract/terminal-id.ts";
import { type Budget, budgetIn } from "../../contract/usage.ts";
import type { WorktreeAsked } from "../../contract/worktree.ts";
import { chosen } from "../inherited.ts";
import type { Profile, Profiles, RunnerSettings } from "../profiles/profile.ts";
import { chooseProfile } from "../profiles/profile-list.ts";
import { canAsk, choosesModel } from "../profiles/profiles-file.ts";
import { unheeded } from "../profiles/reported.ts";
import { repositoryAt } from "../worktree/repository.ts";
import { profilesAt, type Workplace } from "./place.ts";

type Asked = Omit<ParsedOf<"tasks.push">, "prompt">;

/** What the push leaves out is decided now, so that the caller is told about a mistake. A running worker needs no profile. */
export async function complete(place: Workplace, asked: Asked, prompt: string): Promise<NewTask> {
  const cwd = asked.cwd ?? process.cwd();
  const { withChanges, review, reviewRounds, ...others } = asked;
  const rest = { ...others, prompt, cwd };
  if (asked.worker !== undefined) {
    if (asked.budget !== undefined) refuseBudget(budgetIn(asked.budget)!, asked.worker);
    refusePermission(asked.permission, `"${asked.worker}" is already running with its own permission`);
    if (asked.worktree === "yes" || withChanges)
      throw noWorktree(
        `"${asked.worker}" is already running in a folder of its own`,
        phrase`leave out ${field("worktree")} and ${field("withChanges")}`,
      );
    if (review !== undefined && review !== noReview)
      throw new InboxError(
        "invalid_input",
        `review=${review} has no effect: "${asked.worker}" is already running`,
        {
          hint: phrase`leave out ${field("review")}; only sub-agents that are started are reviewed`,
        },
      );
    const nothing = {
      usualPermission: null,
      env: null,
      worktree: "no",
      repository: null,
      review: null,
      budget: null,
    } as const;
    return { ...rest, ...nothing, profile: null, retries: asked.retries ?? 0 };
  }
  const { profiles } = profilesAt(place);
  const profile = chooseProfile(profiles, asked.profile, process.env.PATH ?? "");
  if (profile.permission === null)
    refusePermission(asked.permission, `the runner "${profile.runner.name}" does not ask for permissions`);
  if (asked.permission === "ask" && !canAsk(profile.runner))
    throw new InboxError(
      "invalid_input",
      `the program of the runner "${profile.runner.name}" cannot be answered while it runs`,
      {
        hint: "choose a permission other than ask, or another profile",
      },
    );
  if (asked.model !== undefined) refuseModel(profile);
  const worktree = asked.worktree ?? profile.worktree;
  return {
    ...rest,
    worktree,
    repository: mayNeedOne(worktree, asked, profile) ? await repositoryFor(cwd, worktree, withChanges) : null,
    profile: profile.name,
    parentIsProfile: asked.profile === undefined && profiles.all.has(asked.agent) && !isItself(asked, place),
    retries: asked.retries ?? profile.runner.retries,
    usualPermission: profile.permission,
    review: reviewerOf(profiles, profile, { review, reviewRounds }),
    env: handedOn(place, profile),
    budget: budgetFor(asked, profile),
  };
}

/** [Q1.7] Whether the name is the caller's own by its environment, or by default, and so was not typed in this call. */
const isItself = ({ agent }: Asked, { env }: Workplace) =>
  agent === startingCommand.identityDefault || env === undefined || agentIn(env) === agent;

/** [A12] The reviewer: the one that was asked for, else the profile's. */
function reviewerOf(
  profiles: Profiles,
  { review: usual, reviewRounds: usualRounds }: Profile,
  { review = usual ?? noReview, reviewRounds }: Pick<Asked, "review" | "reviewRounds">,
): NewTask["review"] {
  if (review === noReview) {
    if (reviewRounds === undefined) return null;
    throw new InboxError(
      "invalid_input",
      phrase`${field("reviewRounds")} has no effect: there is no reviewer`,
      {
        hint: phrase`give the reviewer with ${field("review", blank("PROFILE"))}`,
      },
    );
  }
  const { name } = chooseProfile(profiles, review, process.env.PATH ?? "");
  return { profile: name, rounds: reviewRounds ?? usualRounds };
}

/** [A11] What was asked for, else the profile's. */
function budgetFor({ budget: asked }: Asked, profile: Profile): Budget | null {
  if (asked === undefined) return profile.budget;
  const budget = budgetIn(asked)!;
  refuseBudget(budget, profile.runner);
  return budget;
}

/** [A11] `of` is what would have to report its usage: a runner, or the name of a running worker. */
export function refuseBudget(budget: Budget, of: RunnerSettings | string): void {
  const problem =
    typeof of === "string" ? `"${of}" is already running, and its usage is not known` : unheeded(budget, of);
  if (problem === undefined) return;
  throw new InboxError("invalid_input", `the budget would have no effect: ${problem}`, {
    hint: phrase`leave out ${field("budget")}; ${call("tasks.profiles")} shows what each reports`,
  });
}

/** [A1] If its permission is not known yet, it may turn out to be allowed to edit. */
function mayNeedOne(worktree: WorktreeAsked, { permission, withChanges }: Asked, profile: Profile): boolean {
  const usual = permission === undefined || permission === "inherit" ? profile.permission : permission;
  const needed = worktree === "yes" || (worktree === "auto" && usual !== null && usual !== "reject");
  if (withChanges && !needed)
    throw worktree === "no"
      ? noWorktree(
          phrase`${field("worktree")} is no`,
          phrase`leave out ${field("withChanges")}, or give ${field("worktree", "yes")}`,
        )
      : noWorktree(
          "its permission does not let it edit, so it works directly in its folder",
          phrase`let it edit with ${field("permission", "edit")}, or leave out ${field("withChanges")}`,
        );
  return needed;
}

async function repositoryFor(
  cwd: string,
  worktree: WorktreeAsked,
  withChanges: boolean,
): Promise<NewTask["repository"]> {
  const insist = worktree === "yes" || withChanges;
  const found = await repositoryAt(cwd, { withChanges, insist });
  if ("plan" in found) return found.plan;
  // If no worktree was asked for, the task works in its folder, as it would without git.
  if (!insist) return null;
  throw noWorktree(
    found.problem,
    phrase`leave out ${field("worktree")} and ${field("withChanges")}, or push it from a git repository`,
  );
}

const noWorktree = (why: Text, hint: Text) =>
  new InboxError("invalid_input", phrase`the task cannot have a worktree: ${why}`, { hint });

/** [X12] The values in the caller's environment of the variables that the profile names: the supervisor may have others. */
function handedOn({ env }: Workplace, { runner }: Profile): string | null {
  const kept = env ? chosen(env, ["INBOX_*", ...runner.passEnv]) : {};
  return Object.keys(kept).length ? JSON.stringify(kept) : null;
}

function refusePermission(asked: PermissionAsked | undefined, why: string): void {
  if (asked === undefined || asked === "inherit") return;
  throw new InboxError("invalid_input", `permission=${asked} has no effect: ${why}`, {
    hint: phrase`leave out ${field("permission")}`,
  });
}

/** [Q8] A setting that would have no effect is refused, not ignored. */
export function refuseModel({ runner: { name }, runner }: Profile): void {
  if (choosesModel(runner)) return;
  throw new InboxError("invalid_input", `the runner "${name}" cannot select a model`, {
    hint: `leave out the model, or set model = ["--model", "{model}"] in [runners.${name}] of .agents/agents.toml`,
  });
}
