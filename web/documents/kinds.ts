/** How a document is shown, by its name; what no name tells is looked into. */
export type Kind = "markdown" | "table" | "json" | "image" | "code" | "download" | "unknown";

const byExtension: Record<string, Kind> = {};
const list = (kind: Kind, names: string) => {
  for (const name of names.split(" ")) byExtension[name] = kind;
};
list("markdown", "md markdown mdown mkd");
list("table", "csv tsv");
list("json", "json jsonl ndjson geojson ipynb webmanifest");
list("image", "png jpg jpeg gif webp avif bmp ico svg");
list(
  "code",
  "txt log text diff patch c h cc cpp hpp cs go rs java kt kts swift m mm py rb php pl lua r jl hs ml ex exs erl clj scala dart zig nim " +
    "js mjs cjs jsx ts mts cts tsx vue svelte css scss less html htm xml xsl yaml yml toml ini cfg conf env properties sql graphql gql proto " +
    "sh bash zsh fish ps1 bat cmd dockerfile makefile mk cmake gradle nix tf hcl tex bib rst adoc org srt vtt lock gitignore",
);
list(
  "download",
  "zip gz tgz bz2 xz zst 7z rar tar pdf doc docx xls xlsx ppt pptx odt ods mp3 mp4 mov avi mkv wav flac ogg webm exe dll so dylib bin iso wasm sqlite db woff woff2 ttf otf parquet",
);

const named: Record<string, Kind> = {
  makefile: "code",
  dockerfile: "code",
  license: "code",
  readme: "markdown",
};

export const extensionOf = (path: string) => /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";

export function kindOf(path: string): Kind {
  const name = path.replace(/^.*[/\\]/, "").toLowerCase();
  return byExtension[extensionOf(path)] ?? named[name] ?? "unknown";
}

const languages: Record<string, string> = {
  py: "python",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "typescript",
  rs: "rust",
  rb: "ruby",
  kt: "kotlin",
  kts: "kotlin",
  cs: "csharp",
  cc: "cpp",
  hpp: "cpp",
  h: "c",
  sh: "bash",
  zsh: "bash",
  yml: "yaml",
  htm: "xml",
  html: "xml",
  svg: "xml",
  vue: "xml",
  svelte: "xml",
  pl: "perl",
  m: "objectivec",
  mk: "makefile",
  toml: "ini",
  cfg: "ini",
  conf: "ini",
  env: "ini",
  properties: "ini",
  patch: "diff",
  gql: "graphql",
  jsonl: "json",
};

export function languageOf(path: string): string {
  const extension = extensionOf(path);
  return languages[extension] ?? (extension || path.replace(/^.*[/\\]/, "").toLowerCase());
}

/** The bytes as text; undefined where they are none. */
export function asText(bytes: ArrayBuffer): string | undefined {
  const view = new Uint8Array(bytes);
  if (view.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(view);
  } catch {
    return undefined;
  }
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
