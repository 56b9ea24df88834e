/** [A12] A review: another sub-agent checks the work of a task before its parent gets the result. */
import * as v from "valibot";
import { integer, name } from "./fields.ts";
import { call, phrase } from "./phrase.ts";

/** `none`: nobody judged it, because the reviewer failed or its answer was unclear. */
export const verdicts = ["approved", "sent_back", "none"] as const;
export type ReviewVerdict = (typeof verdicts)[number];

/** Turns the review off, whatever the profile says. */
export const noReview = "none";

export const reviewRoundsUsual = 3;
export const reviewRoundsMost = 10;

const finding = () =>
  v.strictObject({
    /** The review that had it, from 1. */
    round: v.number(),
    /** Its location, as far as the reviewer gives it: relative to the top of the repository. */
    file: v.nullable(v.string()),
    line: v.nullable(v.number()),
    text: v.string(),
  });
export type ReviewFinding = v.InferOutput<ReturnType<typeof finding>>;

/** The outcome, as it is in a task's result. */
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

/** In lists of tasks: without the findings. */
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
