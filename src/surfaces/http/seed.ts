/** For developing the page: adds an entry of any kind, without an agent that pushes it. */
import type { InputOf } from "../../contract/operations/index.ts";
import type { Inbox } from "../../inbox/inbox.ts";

/** What is left out is made up: the id, the time, and a text. */
export async function seed(
  inbox: Inbox,
  fields: Record<string, unknown>,
): Promise<{ id: string; ts: number }> {
  const made = { id: crypto.randomUUID(), ts: Date.now(), workspaceLabel: "Seed" };
  const said = "docs" in fields || "comments" in fields ? {} : { comments: "An entry to look at." };
  const entry = { ...made, ...said, ...fields };
  await inbox.call("entries.import", { entries: [entry] } as InputOf<"entries.import">);
  return { id: entry.id, ts: entry.ts };
}
