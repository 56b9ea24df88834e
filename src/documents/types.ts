/**
 * The content type of a document: a small fixed list, by its name. Nothing is ever served as a page: what could run
 * is served as text, and unknown types as a download.
 */
import { extname } from "node:path";

export interface Served {
  type: string;
  /** Whether it is shown; otherwise it is a download. An image element shows either. */
  inline: boolean;
}

const images: Record<string, string> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".bmp": "image/bmp",
  ".ico": "image/x-icon",
  // As a page it could contain a script: so it is only served as a download, or inside an image element.
  ".svg": "image/svg+xml",
};

const plain = "text/plain; charset=utf-8";

const data: Record<string, string> = {
  ".md": "text/markdown; charset=utf-8",
  ".markdown": "text/markdown; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".tsv": "text/tab-separated-values; charset=utf-8",
  ".json": "application/json; charset=utf-8",
};

const texts = new Set(
  (
    "adoc asm astro awk bash bat bib c cc cfg cjs clj cljs cmake cmd conf cpp cs css cts cue cxx dart diff dockerfile edn elm " +
    "env erl ex exs f90 fish fs fsx gitignore go gql gradle graphql groovy h hbs hcl hpp hs htm html ini ipynb java jl js jsonc " +
    "json5 jsonl jsx kt kts less lisp lock log lua m makefile mdx mjs ml mli mm mts ndjson nim nix org patch php pl pm po properties " +
    "proto ps1 py pyi r rb rkt rs rst sass scala scm scss sh sol sql srt styl svelte swift tcl tex tf tfvars thrift toml ts " +
    "tsx txt v vb vim vtt vue wat xhtml xml yaml yml zig zsh"
  ).split(" "),
);
const textNames = new Set(
  "makefile dockerfile license readme changelog authors notice procfile rakefile gemfile".split(" "),
);

export function servedAs(path: string): Served {
  const ending = extname(path).toLowerCase();
  const image = images[ending];
  if (image) return { type: image, inline: ending !== ".svg" };
  const known = data[ending];
  if (known) return { type: known, inline: true };
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (texts.has(ending.slice(1)) || textNames.has(name) || (name.startsWith(".") && texts.has(name.slice(1))))
    return { type: plain, inline: true };
  return { type: "application/octet-stream", inline: false };
}

export const isImage = (path: string) => extname(path).toLowerCase() in images;
