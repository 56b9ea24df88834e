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

/** [A8] The choices of a question whether a tool may be used. */
export const approvalChoices = {
  once: "allow once",
  forTask: "allow for this task",
  deny: "deny",
  denyAndSay: "deny and say why",
} as const;

/** [A8] What an agent program would ask its user, as it is shown to the person who decides. */
export const approval = () =>
  v.strictObject({
    tool: v.string(),
    /** The arguments of the tool, as JSON. */
    input: v.string(),
    folder: v.string(),
    /** What would be changed, if the program says so. */
    diff: v.nullable(v.string()),
  });
export type Approval = v.InferOutput<ReturnType<typeof approval>>;

/** [A7] What the audit trail records: a closed list. */
export const auditActions = ["asked", "escalated", "answered", "expired"] as const;
export type AuditAction = (typeof auditActions)[number];

/** The surface that an agent or a person uses. `task`: the keeper of a sub-agent, in its name. */
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
    /** Whether the agent used a token. */
    verified: v.boolean(),
    task: v.nullable(v.string()),
  });
