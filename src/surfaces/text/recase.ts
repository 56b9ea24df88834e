/**
 * The contract uses camelCase; thread commands print snake_case, as their protocol requires. User data is never
 * changed: a `payload` or `metadata` object is printed as text under `payload_json`.
 */
const userData = new Set(["payload", "metadata"]);

const known = new Map<string, string>();

/** Cached: a list has the same few keys a thousand times. */
function snake(key: string): string {
  let made = known.get(key);
  if (made === undefined) {
    made = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    known.set(key, made);
  }
  return made;
}

export function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== "object" || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    if (userData.has(key)) result[`${key}_json`] = JSON.stringify(inner);
    else result[snake(key)] = snakeCase(inner);
  }
  return result;
}
