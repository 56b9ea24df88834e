/** [A5] A question that offers choices, who may answer it, and what was decided. */
import * as v from "valibot";

/** One answer to a question. */
export const given = () =>
  v.strictObject({
    agent: v.string(),
    choice: v.nullable(v.string()),
    message: v.string(),
    createdAt: v.string(),
    verified: v.boolean(),
  });
export type GivenAnswer = v.InferOutput<ReturnType<typeof given>>;

/** [A8] How the question whether a tool may be used can be answered. */
export const approvalChoices = {
  once: "allow once",
  forTask: "allow for this task",
  deny: "deny",
  denyAndSay: "deny and say why",
} as const;

/** [A8] What an agent program asks its user before it does it, as a person decides about it. */
export const approval = () =>
  v.strictObject({
    tool: v.string(),
    /** What the tool is called with, as JSON. */
    input: v.string(),
    folder: v.string(),
    /** What would be changed, where the program says it. */
    diff: v.nullable(v.string()),
  });
export type Approval = v.InferOutput<ReturnType<typeof approval>>;

/** [A7] What the audit trail tells of: closed. */
export const auditActions = ["asked", "escalated", "answered", "expired"] as const;
export type AuditAction = (typeof auditActions)[number];

/** Through what an agent or a person speaks to the bus. `task`: the keeper of a sub-agent, in its name. */
export const surfaces = ["cli", "rest", "mcp", "sdk", "task"] as const;
export type Surface = (typeof surfaces)[number];

export const auditRecord = () =>
  v.strictObject({
    number: v.number(),
    at: v.string(),
    action: v.picklist(auditActions),
    /** The correlation id of the question. */
    question: v.string(),
    /** Who asked or answered, and who was asked. */
    agent: v.string(),
    to: v.nullable(v.string()),
    choice: v.nullable(v.string()),
    text: v.string(),
    surface: v.picklist(surfaces),
    /** Whether a token vouched for the agent. */
    verified: v.boolean(),
    task: v.nullable(v.string()),
  });
