/** A piece of what was found, the fitting words marked. */
import type { SearchHit } from "../data/search.ts";

export function Snippet({ hit }: { hit: SearchHit }) {
  const { text, matches } = hit.snippet;
  const parts: preact.ComponentChild[] = [];
  let end = 0;
  for (const [from, to] of matches) {
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return (
    <span class="hit-snippet">
      {parts}
      {text.slice(end)}
    </span>
  );
}
