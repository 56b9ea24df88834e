/** What tasks have cost, by day. */
import { call, phrase, type Text } from "../../contract/phrase.ts";
import type { Costs } from "../../contract/usage.ts";
import { heldText, limitText, money, tokenCount } from "../../contract/usage-text.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { textTable } from "./text-table.ts";

function costsText({ limit, held, days }: Costs, paint: Paint, spell: (text: Text) => string): string {
  const most = limitText(limit);
  const head =
    most === null
      ? `no daily limit; ${spell(phrase`${call("costs.set", { usd: 20 })} sets one`)}`
      : `daily limit: ${most}`;
  const rows = days.map((each) => [
    each.day,
    tokenCount(each.tokens),
    tokenCount(each.inputTokens),
    tokenCount(each.outputTokens),
    tokenCount(each.cachedTokens),
    each.costUsd === null ? "–" : money(each.costUsd),
    String(each.turns),
  ]);
  const table = rows.length
    ? textTable(["DAY (UTC)", "TOKENS", "IN", "OUT", "CACHED", "COST", "TURNS"], rows, paint.dim)
    : "no usage was reported yet";
  return [head, ...(held ? [paint.yellow(heldText(held))] : []), "", table].join("\n");
}

export const costRenders: NounRenders<"costs"> = {
  "costs.show": costsText,
  "costs.set": costsText,
};
