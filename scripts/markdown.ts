/**
 * What a reader of our Markdown relies on: paths and links lead somewhere, lines can be read in a terminal, the
 * changelog and package.json name the same version, and every decision says its number, date and status.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const lineLimit = 160;

/** Written by programs, so nobody wraps their lines. */
const made = (file: string) => file.startsWith("docs/generated/") || file === "bench/RESULTS.md";
/** Not wrapped yet. */
const unwrapped = new Set(["ARCHITECTURE.md"]);

const folders = "src|web|test|docs|scripts|bench|deploy|skills|plugin";
/** A path from the root of the repository: not a part of a longer path, a route or an address. */
const pathPattern = new RegExp(`(?<![\\w/.:~…-])(?:${folders})(?:/[\\w.-]+)+`, "g");

export function markdownProblems(root: string): string[] {
  const files = [...new Bun.Glob("**/*.md").scanSync(root)].filter(
    (file) => !/(^|\/)(node_modules|dist)\//.test(file),
  );
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  return [
    ...[...texts].flatMap(([file, text]) => [
      ...pathProblems(root, file, text),
      ...linkProblems(root, file, text, texts),
      ...(made(file) || unwrapped.has(file) ? [] : lineProblems(file, text)),
    ]),
    ...versionProblems(root),
    ...decisionProblems(root),
  ];
}

function pathProblems(root: string, file: string, text: string): string[] {
  const paths = [...text.matchAll(pathPattern)].map(([path]) => path.replace(/[.-]+$/, ""));
  return [...new Set(paths)]
    .filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, dirname(file), path)))
    .map((path) => `${file} names ${path}, which does not exist`);
}

function linkProblems(root: string, file: string, text: string, texts: Map<string, string>): string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|\bsrc="([^"]+)"/g)].map(
    ([, a, b]) => (a ?? b)!,
  );
  return targets.flatMap((target) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path, anchor] = target.split("#") as [string, string?];
    const found = path === "" ? file : relative(root, join(root, dirname(file), path));
    if (!existsSync(join(root, found))) return [`${file} links to ${target}, which does not exist`];
    const headings = texts.get(found);
    return anchor === undefined || (headings !== undefined && anchorsOf(headings).has(anchor))
      ? []
      : [`${file} links to ${target}, and ${found} has no such heading`];
  });
}

/** As GitHub makes them: lower case, spaces as dashes, other signs left out. */
const anchorsOf = (text: string) =>
  new Set(
    [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

function lineProblems(file: string, text: string): string[] {
  return withoutCode(withoutFrontMatter(text))
    .split("\n")
    .filter((line) => line.length > lineLimit && !line.startsWith("|"))
    .map(
      (line) => `${file}: a line of ${line.length} characters (at most ${lineLimit}): ${line.slice(0, 60)}…`,
    );
}

const withoutCode = (text: string) => text.replace(/^(\s*)(`{3,})[^\n]*\n.*?^\1\2$/gms, "");
const withoutFrontMatter = (text: string) => text.replace(/^---\n.*?\n---\n/s, "");

function versionProblems(root: string): string[] {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const [first, released] = [...readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## (\S+)/gm)].map(
    (match) => match[1],
  );
  return [
    ...(first === "Unreleased" ? [] : [`CHANGELOG.md must begin with "## Unreleased", not "## ${first}"`]),
    ...(released === version
      ? []
      : [`package.json is ${version}, and CHANGELOG.md's newest release ${released}`]),
  ];
}

function decisionProblems(root: string): string[] {
  return readdirSync(join(root, "docs/decisions")).flatMap((name) => {
    const number = Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1]);
    const text = readFileSync(join(root, "docs/decisions", name), "utf8");
    const head = new RegExp(
      `^# ${number}\\. .+\\n\\nDate: \\d{4}-\\d\\d-\\d\\d\\. Status: (accepted|superseded by decision \\d+)\\.\\n`,
    );
    return head.test(text)
      ? []
      : [
          `docs/decisions/${name} must begin with "# ${number}. TITLE", then "Date: YYYY-MM-DD. Status: accepted."`,
        ];
  });
}
