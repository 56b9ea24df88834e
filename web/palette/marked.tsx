/** A piece of text, the places that fit marked. */
import type { ComponentChild } from "preact";
import type { SearchHit } from "../data/search.ts";

export function Marked({ text, matches }: SearchHit["snippet"]) {
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const [from, to] of matches) {
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
