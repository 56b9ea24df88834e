import * as v from "valibot";
import { choice, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { scopes, token } from "../token.ts";

export const tokensCreate = operation("tokens.create", "token create", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Create a token for one agent",
  detail:
    "The token is shown once. Whoever has it acts as that agent and as no other. " +
    "Scopes: worker: its own mail and work, and topics. " +
    "user: the same, and it also reads everything and changes the person's inbox. " +
    "leader: reads everything, and changes everything except the person's inbox. " +
    "admin: everything.",
  input: () =>
    v.strictObject({
      agent: name("the agent it authenticates", "NAME"),
      scope: v.optional(choice(scopes, "what the token allows (default: worker)"), "worker"),
    }),
  output: () => v.strictObject({ token: v.string(), ...token().entries }),
  errors: ["invalid_input"],
  creates: true,
  http: ["POST /api/tokens"],
  mcp: { none: "a model must not make tokens" },
  examples: ["inbox token create --agent backend-worker --scope worker"],
}));
