/** Answers of the command line and of MCP in the names of REST, so that one checker reads all. */
import type { Fields } from "../check/history.ts";

export function camelCase(value: unknown): Fields {
  return recased(value) as Fields;
}

function recased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(recased);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "ok" && key !== "command")
      .map(([key, inner]) =>
        // The payload is text in these views, and its keys are its writer's.
        key === "payload_json" || key === "metadata_json"
          ? [key === "payload_json" ? "payload" : "metadata", JSON.parse(String(inner))]
          : [key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), recased(inner)],
      ),
  );
}
