/** [A12] `review` and `review_rounds`, of a profile and of the whole file. */
import { noReview, reviewRoundsMost, reviewRoundsUsual } from "../../contract/review.ts";
import type { Usual } from "./profile.ts";
import type { Reader } from "./table-reader.ts";

type Reviewing = Pick<Usual, "review" | "reviewRounds">;

export const reviewKeyNames = ["review", "review_rounds"];

export const noReviews: Reviewing = { review: null, reviewRounds: reviewRoundsUsual };

export function reviewKeys(table: Reader, usual: Reviewing): Reviewing {
  const said = table.text("review");
  const reviewRounds = table.number("review_rounds", 1, true) ?? usual.reviewRounds;
  if (reviewRounds > reviewRoundsMost)
    throw table.wrong("review_rounds", `must be at most ${reviewRoundsMost}, got ${reviewRounds}`);
  return { review: said === noReview ? null : (said ?? usual.review), reviewRounds };
}
