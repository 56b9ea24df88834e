import * as v from "valibot";
import { operation } from "../operation.ts";
import { permissionsAsked } from "../task.ts";
import { reported } from "../usage.ts";

export const tasksProfiles = operation("tasks.profiles", "agents", () => ({
  kind: "read",
  access: { on: "everybody" },
  summary: "List the profiles of agent programs, and which are installed",
  detail:
    "Profiles are defined in .agents/agents.toml beside the database (for a bus on a server: ~/.config/restante/agents.toml), or in the " +
    "file that INBOX_PROFILES names; some are built in.",
  input: () => v.strictObject({}),
  output: () =>
    v.strictObject({
      file: v.nullable(v.string()),
      default: v.nullable(v.string()),
      profiles: v.array(
        v.strictObject({
          name: v.string(),
          runner: v.string(),
          model: v.nullable(v.string()),
          permission: v.nullable(v.picklist(permissionsAsked)),
          /** How `interrupt` ends its turn; null where it cannot. */
          interrupts: v.nullable(v.picklist(["cancel", "resume"])),
          /** [A11] What it reports of its usage, and when. */
          reports: reported(),
          installed: v.boolean(),
          program: v.nullable(v.string()),
          hint: v.nullable(v.string()),
        }),
      ),
    }),
  errors: ["invalid_input"],
  cli: { program: "orch" },
  http: ["GET /api/profiles"],
  mcp: {
    tool: "profiles",
    set: "supervisor",
    use: "List the profiles of sub-agents that assign, handoff and push can start.",
  },
  examples: ["orch agents"],
}));
