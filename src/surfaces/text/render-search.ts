/** What a search found, as text: the words in bold. */
import type { SearchHit } from "../../contract/search.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { cut, inLine } from "./safe.ts";
import { relative } from "./time.ts";

function marked({ text, matches }: SearchHit["snippet"], paint: Paint): string {
  let at = 0;
  let line = "";
  for (const [from, to] of matches) {
    line += inLine(text.slice(at, from)) + paint.bold(inLine(text.slice(from, to)));
    at = to;
  }
  return line + inLine(text.slice(at));
}

export const searchRenders: NounRenders<"search"> = {
  "search.find": ({ hits, complete, behind }, paint) => {
    const found = hits.map(
      (hit) =>
        `${paint.cyan(hit.kind)} ${hit.id} ${paint.dim(relative(new Date(hit.ts).toISOString()))} ${cut(hit.title, 60)}\n    ${marked(hit.snippet, paint)}`,
    );
    const note = complete
      ? []
      : [`${paint.yellow("note")} ${behind} newer events are not indexed yet; search again`];
    return [...(found.length ? found : ["nothing found"]), ...note].join("\n");
  },
};
