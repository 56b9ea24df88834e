/** A pool: a name that work can be assigned to, and the agents that take it. */
import * as v from "valibot";
import { name } from "./fields.ts";

export const poolInput = () =>
  v.strictObject({ pool: name("the pool", "POOL"), agent: name("who joins or leaves", "AGENT") });

export const poolOutput = () =>
  v.strictObject({ pool: v.string(), members: v.array(v.string()), changed: v.boolean() });
