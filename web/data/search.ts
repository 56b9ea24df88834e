/** Search over entries, threads and messages: ranked by the hub, with the places that fit. */
import type { SearchHit } from "../../src/contract/search.ts";
import type { Place } from "../router.ts";
import { api } from "./api.ts";

export type { SearchHit };

export const find = async (q: string, signal: AbortSignal): Promise<readonly SearchHit[]> =>
  (await api.search.find({ q, limit: 20 }, { signal })).hits;

/** Where a hit leads. */
export function placeOf(hit: SearchHit): Place {
  if (hit.entryId) return { tab: "inbox", id: hit.entryId };
  if (hit.threadId) return { tab: "threads", id: hit.threadId };
  return { tab: "channels", id: hit.channel ?? hit.id };
}
