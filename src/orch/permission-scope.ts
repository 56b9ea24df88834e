/**
 * [A8] What "allow for this task" covers: as much as the question shows. A command covers that command, a file in the
 * sub-agent's folder covers the files there, a file elsewhere covers that file, an address covers its host, and
 * everything else covers the tool.
 */
import { isWithin } from "./runners/acp-permission.ts";
import type { PermissionRequest } from "./runners/runner.ts";

/** As text; two requests with the same text are covered by the same answer. */
export function scopeOf(request: PermissionRequest, folder: string): string {
  const { tool } = request;
  const command = commandIn(request);
  if (command !== undefined) return `${tool} with the command ${command}`;
  const paths = pathsIn(request);
  if (paths.length)
    return paths.every((path) => isWithin(folder, path))
      ? `${tool} on files in its folder`
      : `${tool} on ${[...new Set(paths)].sort().join(", ")}`;
  const host = hostIn(request);
  return host === undefined ? tool : `${tool} at ${host}`;
}

/** The names that agent programs have for it. */
function fieldIn(input: unknown, names: readonly string[]): unknown {
  if (typeof input !== "object" || input === null) return undefined;
  return names.map((name) => (input as Record<string, unknown>)[name]).find((value) => value !== undefined);
}

function commandIn({ input, runs }: PermissionRequest): string | undefined {
  const command = fieldIn(input, ["command", "cmd", "script"]) ?? runs;
  if (typeof command === "string") return command.trim();
  return command === undefined ? undefined : JSON.stringify(command);
}

function pathsIn({ input, paths = [] }: PermissionRequest): string[] {
  const path = fieldIn(input, ["file_path", "filePath", "notebook_path", "abs_path", "path"]);
  return typeof path === "string" ? [...paths, path] : [...paths];
}

function hostIn({ input }: PermissionRequest): string | undefined {
  const url = fieldIn(input, ["url", "uri"]);
  return typeof url === "string" && URL.canParse(url) ? new URL(url).host || undefined : undefined;
}
