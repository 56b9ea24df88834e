/** A token: who may speak as whom, where tokens are used. Shown once, kept as a hash. */
import * as v from "valibot";
import { described, quotedValue } from "./fields.ts";

export const scopes = ["worker", "leader", "user", "admin"] as const;
export type Scope = (typeof scopes)[number];

export const token = () =>
  v.strictObject({
    tokenId: v.string(),
    agentId: v.string(),
    scope: v.picklist(scopes),
    createdAt: v.string(),
    revokedAt: v.nullable(v.string()),
  });

export const tokenId = () =>
  described(
    v.pipe(
      v.string("must be text"),
      v.regex(
        /^(?:tok_)?[1-9][0-9]{0,14}$/,
        (issue) => `must be a token's id like tok_1, got ${quotedValue(issue.input)}`,
      ),
    ),
    {
      type: "text",
      value: "ID",
      example: "tok_1",
      help: "the token's id",
    },
  );

/** In a path, in place of a name that the token implies; no name begins with a dash. */
export const tokensOwner = "-";
