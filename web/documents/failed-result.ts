/** [Q5] A failed task tells its parent as JSON, for programs. A person reads it as words. */

/** Longer than any fence in the text itself. */
const fenceFor = (text: string) =>
  "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length + 1)));

/** As Markdown, where it is such a result; else the text as it is. */
export function readable(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const { success, error, partial_output: partial } = JSON.parse(text);
    if (success !== false || typeof error !== "string") return text;
    const written = typeof partial === "string" ? partial.trimEnd() : "";
    const fence = fenceFor(written);
    return `**Failed:** ${error}${written && `\n\n${fence}\n${written}\n${fence}`}`;
  } catch {
    return text; // somebody's own words
  }
}
