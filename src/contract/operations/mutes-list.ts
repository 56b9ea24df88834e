import * as v from "valibot";
import { mute } from "../mute.ts";
import { operation } from "../operation.ts";

export const mutesList = operation("mutes.list", "mute list", () => ({
  kind: "read",
  access: { on: "person", does: "read" },
  summary: "List what is muted",
  detail: "Lists agents by name, then threads by number.",
  input: () => v.strictObject({}),
  output: () => v.strictObject({ mutes: v.array(mute()) }),
  errors: [],
  http: ["GET /api/mutes"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox mute list"],
}));
