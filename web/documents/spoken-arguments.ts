/** What a tool was called with, one argument in a line; as it is, where it is not an object of JSON. */
export function spokenArguments(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    return Object.entries(JSON.parse(text) as Record<string, unknown>)
      .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join("\n");
  } catch {
    return text; // cut off, or no JSON
  }
}
