/** [A12] A review: another sub-agent looks at what a task has done before its parent hears of it. */
import * as v from "valibot";
import { integer, name } from "./fields.ts";
import { call, phrase } from "./phrase.ts";

/** `none`: nobody judged it, because the reviewer failed or its answer was unclear. */
export const verdicts = ["approved", "sent_back", "none"] as const;
export type ReviewVerdict = (typeof verdicts)[number];

/** Says that there is to be no review, whatever the profile has. */
export const noReview = "none";

export const reviewRoundsUsual = 3;
export const reviewRoundsMost = 10;

const finding = () =>
  v.strictObject({
    /** The review that had it, from 1. */
    round: v.number(),
    /** Where, as far as the reviewer says: relative to the top of the repository. */
    file: v.nullable(v.string()),
    line: v.nullable(v.number()),
    text: v.string(),
  });
export type ReviewFinding = v.InferOutput<ReturnType<typeof finding>>;

/** What came of it, as it is in a task's result. */
export interface ReviewOutcome {
  verdict: ReviewVerdict;
  /** How many reviews there were. */
  rounds: number;
  findings: ReviewFinding[];
  /** The profile of the reviewer. */
  profile: string;
  /** Why the verdict is `none`. */
  error?: string;
}

const reviewFields = () => ({
  profile: v.string(),
  maxRounds: v.number(),
  /** Null before there is one. */
  verdict: v.nullable(v.picklist(verdicts)),
  rounds: v.number(),
  error: v.nullable(v.string()),
});

/** In views of a task. */
export const review = () => v.strictObject({ ...reviewFields(), findings: v.array(finding()) });
export type Review = v.InferOutput<ReturnType<typeof review>>;

/** In lists of tasks: without what it found. */
export const reviewInQueue = () => v.strictObject(reviewFields());

export const reviewAsked = () => ({
  review: v.optional(
    name(
      phrase`the profile of the sub-agent that reviews the result before it is delivered, see ${call("tasks.profiles")}; none: no review (default: the profile's)`,
      "PROFILE",
    ),
  ),
  reviewRounds: v.optional(
    integer(`maximum number of reviews (default: the profile's, else ${reviewRoundsUsual})`, {
      min: 1,
      max: reviewRoundsMost,
    }),
  ),
});
