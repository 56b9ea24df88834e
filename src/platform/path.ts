/**
 * `basename`, `dirname`, `join` and `resolve` as node:path has them, for what every command runs: loading that module
 * takes 0.2 ms. On Windows, where paths are more than this, they are those of node:path.
 */
const foreign =
  process.platform === "win32" ? (require("node:path") as typeof import("node:path")) : undefined;

/** Without empty, `.` and `..` parts, as far as that is possible. */
function normalParts(path: string): string[] {
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length && kept.at(-1) !== "..") kept.pop();
    else if (!path.startsWith("/")) kept.push(part);
  }
  return kept;
}

export function resolve(...paths: string[]): string {
  if (foreign) return foreign.resolve(...paths);
  // The working folder is asked for only if it matters: it may have been deleted.
  const absolute = paths.findLastIndex((path) => path.startsWith("/"));
  const whole = absolute < 0 ? [process.cwd(), ...paths].join("/") : paths.slice(absolute).join("/");
  return `/${normalParts(whole).join("/")}`;
}

export function join(...paths: string[]): string {
  if (foreign) return foreign.join(...paths);
  const whole = paths.filter(Boolean).join("/");
  const parts = normalParts(whole).join("/");
  const end = parts && whole.endsWith("/") ? "/" : "";
  if (whole.startsWith("/")) return `/${parts}${end}`;
  return parts ? parts + end : end || (whole.endsWith("/") ? "./" : ".");
}

/** A path without the slashes at its end. */
const trimmed = (path: string) => {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
};

export function dirname(path: string): string {
  if (foreign) return foreign.dirname(path);
  const at = trimmed(path).lastIndexOf("/");
  if (at > 0) return at === 1 && path.startsWith("/") ? "//" : path.slice(0, at);
  return at === 0 ? "/" : ".";
}

export function basename(path: string): string {
  if (foreign) return foreign.basename(path);
  const name = trimmed(path);
  return name === "/" ? "" : name.slice(name.lastIndexOf("/") + 1);
}
