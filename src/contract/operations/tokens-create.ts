import * as v from "valibot";
import { choice, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { scopes, token } from "../token.ts";

export const tokensCreate = operation({
  name: "tokens.create",
  kind: "write",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Make a token that speaks for one agent",
  detail:
    "It is shown this once. Whoever has it can write as that agent, and as nobody else. A worker has its own mail and " +
    "work, and topics; a user also the person's inbox, and reads everything; a leader may change all but what is the " +
    "person's; an admin everything.",
  input: () =>
    v.strictObject({
      agent: name("whom it speaks for", "NAME"),
      scope: v.optional(choice(scopes, "what it may do (default: worker)"), "worker"),
    }),
  output: () => v.strictObject({ token: v.string(), ...token().entries }),
  errors: ["invalid_input"],
  cli: { command: "token create" },
  creates: true,
  http: ["POST /api/tokens"],
  mcp: { none: "a model must not make tokens" },
  examples: ["inbox token create --agent backend-worker --scope worker"],
});
