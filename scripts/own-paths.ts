/** The few routes of the hub that are not an operation of the table by that name, as /openapi.json has them. */
type Schema = Record<string, unknown>;

export const failure = {
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

const parameter = (name: string, place: "path" | "query", description: string, type = "string") => ({
  name,
  in: place,
  required: place === "path",
  schema: { type, description },
});

const object = (properties: Record<string, Schema>, optional: string[] = []): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  additionalProperties: false,
});
const text = { type: "string" };
const number = { type: "number" };
const flag = { type: "boolean" };
const nullableText = { type: ["string", "null"] };

const answered = (status: number, description: string, content: Record<string, { schema?: Schema }>) => ({
  responses: { [status]: { description, content }, default: { description: "a refusal", ...failure } },
});
const json = (schema: Schema, description = "the answer", status = 200) =>
  answered(status, description, { "application/json": { schema } });
const bytes = (description: string) => answered(200, description, { "*/*": {} });
const body = (schema: Schema) => ({ requestBody: { content: { "application/json": { schema } } } });

const sent = {
  id: number,
  sender_id: text,
  message: text,
  status: { enum: ["pending", "consumed", "dead"] },
  created_at: text,
};
const mail = {
  id: number,
  sender_id: text,
  message: text,
  /** Beside a body, where it is not its first line. */
  summary: text,
  created_at: text,
  thread_id: nullableText,
  kind: text,
  redelivered: flag,
  sender_verified: flag,
};
const alive = { ok: { const: true }, program: text, version: text, db: text, pid: number };
const hiddenWhereTokens = ["program", "version", "db", "pid"];
const receipt = {
  type: "object",
  properties: { of: { enum: ["mail", "thread", "channel", "entry", "call"] } },
  required: ["of"],
};
const settled = (word: string, summary: string) => ({
  post: {
    operationId: `handOvers.${word}`,
    summary,
    ...body(receipt),
    ...json(object({ ok: { const: true }, collected: { type: "array", items: text } }, ["collected"])),
  },
});
const entry = parameter("id", "path", "the entry");

export const ownPaths: Record<string, Record<string, unknown>> = {
  "/api/events": {
    get: {
      operationId: "events.stream",
      summary: "Every event as it happens, as server-sent events; Last-Event-ID goes on where a line was cut",
      parameters: [
        parameter("afterEvent", "query", "the last event you have seen", "integer"),
        parameter("agent", "query", "only what concerns this agent"),
      ],
      ...answered(200, "text/event-stream", { "text/event-stream": {} }),
    },
  },
  "/api/inbox/{id}/docs/{n}": {
    get: {
      operationId: "entries.document",
      summary: "The n-th document of an entry, as it is now",
      parameters: [entry, parameter("n", "path", "which one, from 0", "integer")],
      ...bytes("the bytes of the document"),
    },
  },
  "/api/inbox/{id}/files": {
    get: {
      operationId: "entries.picture",
      summary: "An image beside a document of the entry",
      parameters: [
        entry,
        parameter("path", "query", "the path as the document has it"),
        parameter("n", "query", "which document it is relative to", "integer"),
      ],
      ...bytes("the bytes of the image"),
    },
  },
  "/api/inbox/{id}/docs/watch": {
    get: {
      operationId: "entries.watch",
      summary: "Changes of the entry's documents, as server-sent events",
      parameters: [entry],
      ...answered(200, "text/event-stream", { "text/event-stream": {} }),
    },
  },
  "/api/hand-overs/confirm": settled("confirm", "An answer that hands something over has arrived"),
  "/api/hand-overs/release": settled(
    "release",
    "It has not, or cannot be used: what it handed over is given back",
  ),
  "/api/inbox/seed": {
    post: {
      operationId: "entries.seed",
      summary: "An entry of any kind, made up; only at a hub that was started with --dev",
      ...body({ type: "object" }),
      ...json(object({ id: text, ts: number }), "it was made", 201),
    },
  },
  "/healthz": {
    get: {
      operationId: "hub.healthz",
      summary: "Whether the hub lives; where tokens are required it says no more",
      ...json(object(alive, hiddenWhereTokens)),
    },
  },
  "/readyz": {
    get: {
      operationId: "hub.readyz",
      summary: "Whether its database answers",
      responses: {
        200: {
          description: "it does",
          content: { "application/json": { schema: object({ ok: { const: true } }) } },
        },
        503: {
          description: "it does not",
          content: {
            "application/json": {
              schema: object({ ok: { const: false }, error: { type: "object" } }, ["error"]),
            },
          },
        },
        default: { description: "a refusal", ...failure },
      },
    },
  },
  "/terminals/{id}/inbox/messages": {
    post: {
      operationId: "terminals.send",
      summary: "Send to an agent's inbox, in the words of terminals",
      parameters: [parameter("id", "path", "the receiver")],
      ...body(object({ sender_id: text, message: text })),
      ...json(object({ success: { const: true }, ...sent, receiver_id: text }), "it was sent", 201),
    },
    get: {
      operationId: "terminals.history",
      summary: "What was sent to an agent, collected or not",
      parameters: [
        parameter("id", "path", "the agent"),
        parameter("status", "query", "pending or consumed"),
        parameter("limit", "query", "maximum number of messages", "integer"),
      ],
      ...json({ type: "array", items: object(sent) }),
    },
  },
  "/terminals/{id}/inbox/messages/wait": {
    get: {
      operationId: "terminals.wait",
      summary: "Block for mail, gather what comes within the window, collect it",
      parameters: [
        parameter("id", "path", "the agent"),
        parameter("timeout", "query", "seconds to wait (default: 50)", "number"),
        parameter("batch_window", "query", "seconds to go on after the first (default: 2)", "number"),
      ],
      ...json({ type: "array", items: object(mail, ["summary"]) }),
    },
  },
};
