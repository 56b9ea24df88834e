/** The tools the protocol's own suite calls, by the names it calls them. */
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server";

export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
export const states = createRequestStateCodec<Record<string, unknown>>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

export const text = (said: string) => ({ type: "text" as const, text: said });
const saying = (said: string) => ({ content: [text(said)] });
export const image = { type: "image" as const, data: png, mimeType: "image/png" };
export const embedded = (uri: string, mimeType: string, said: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: said },
});

export type Fields = Record<string, unknown>;
type Schema = Record<string, unknown>;
interface FixtureTool {
  schema?: Schema;
  run(args: Fields, context: ServerContext): unknown;
}

export const form = (properties: Schema, required: string[] = Object.keys(properties)) => ({
  type: "object" as const,
  properties: properties as never,
  required,
});
const askName = () =>
  inputRequired.elicit({
    message: "What is your name?",
    requestedSchema: form({ name: { type: "string" } }),
  });
const askConfirm = () =>
  inputRequired.elicit({ message: "Please confirm", requestedSchema: form({ ok: { type: "boolean" } }) });
const askModel = (said: string) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(said) }], maxTokens: 50 });
const state = (tool: string, more: Fields = {}) => states.mint({ tool, nonce: crypto.randomUUID(), ...more });

const asked = async ({ mcpReq }: ServerContext, schema: Schema, message: string) => {
  const { action, content } = (await mcpReq.send({
    method: "elicitation/create",
    params: { message, requestedSchema: schema },
  } as never)) as { action: string; content?: unknown };
  return saying(`action=${action}, content=${JSON.stringify(content ?? {})}`);
};
const responses = ({ mcpReq }: ServerContext) => mcpReq.inputResponses as Record<string, Fields> | undefined;
export const accepted = ({ mcpReq }: ServerContext, key: string) =>
  acceptedContent<Fields>(mcpReq.inputResponses, key);
const choice = (...values: string[]) => values.map((value) => ({ const: value, title: `Choice ${value}` }));

export const fixtureTools: Record<string, FixtureTool> = {
  test_simple_text: { run: () => saying("This is a simple text response for testing.") },
  test_image_content: { run: () => ({ content: [image] }) },
  test_audio_content: { run: () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }) },
  test_embedded_resource: {
    run: () => ({
      content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        text("Multiple content types test:"),
        image,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ],
    }),
  },
  test_error_handling: {
    run() {
      throw new Error("This tool intentionally returns an error for testing");
    },
  },
  test_tool_with_logging: {
    async run(_, { mcpReq }) {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"])
        await mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
      return saying("Tool with logging executed successfully");
    },
  },
  test_tool_with_progress: {
    async run(_, { mcpReq }) {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        for (const progress of [0, 50, 100])
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          });
      return saying(String(progressToken));
    },
  },
  test_logging_tool: {
    async run(_, { mcpReq }) {
      await mcpReq.log("info", "heard only by who asked for it");
      return saying("logged");
    },
  },
  test_streaming_elicitation: { run: () => saying("nothing but a result") },
  test_missing_capability: {
    run: (_, context) =>
      responses(context)?.answer
        ? saying("done")
        : inputRequired({ inputRequests: { answer: askModel("Say pong") } }),
  },
  test_sampling: {
    schema: form({ prompt: { type: "string" } }),
    async run({ prompt }, { mcpReq }) {
      const { content } = (await mcpReq.send({
        method: "sampling/createMessage",
        params: { messages: [{ role: "user", content: text(String(prompt)) }], maxTokens: 100 },
      } as never)) as { content: { text?: string } };
      return saying(`LLM response: ${content.text}`);
    },
  },
  test_elicitation: {
    schema: form({ message: { type: "string" } }),
    run: ({ message }, context) => asked(context, form({ response: { type: "string" } }), String(message)),
  },
  test_elicitation_sep1034_defaults: {
    run: (_, context) =>
      asked(
        context,
        form(
          {
            name: { type: "string", default: "John Doe" },
            age: { type: "integer", default: 30 },
            score: { type: "number", default: 95.5 },
            status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
            verified: { type: "boolean", default: true },
          },
          [],
        ),
        "Please review the defaults",
      ),
  },
  test_elicitation_sep1330_enums: {
    run: (_, context) =>
      asked(
        context,
        form(
          {
            untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
            titledSingle: { type: "string", oneOf: choice("value1", "value2", "value3") },
            legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
            untitledMulti: {
              type: "array",
              items: { type: "string", enum: ["option1", "option2", "option3"] },
            },
            titledMulti: { type: "array", items: { anyOf: choice("value1", "value2", "value3") } },
          },
          [],
        ),
        "Please select",
      ),
  },
  test_x_mcp_header: {
    schema: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } },
    },
    run: ({ region }) => saying(`region=${region ?? "none"}`),
  },
  json_schema_2020_12_tool: {
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (args) => saying(JSON.stringify(args)),
  },
  test_input_required_result_elicitation: {
    run(_, context) {
      const name = accepted(context, "user_name")?.name;
      return typeof name === "string"
        ? saying(`Hello, ${name}!`)
        : inputRequired({ inputRequests: { user_name: askName() } });
    },
  },
  test_input_required_result_sampling: {
    run: (_, context) =>
      responses(context)?.capital_question
        ? saying(JSON.stringify(responses(context)))
        : inputRequired({ inputRequests: { capital_question: askModel("What is the capital of France?") } }),
  },
  test_input_required_result_list_roots: {
    run: (_, context) =>
      Array.isArray(responses(context)?.client_roots?.roots)
        ? saying(JSON.stringify(responses(context)))
        : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } }),
  },
  test_input_required_result_request_state: {
    run: async (_, context) =>
      accepted(context, "confirm") && context.mcpReq.requestState() !== undefined
        ? saying("state-ok")
        : inputRequired({
            inputRequests: { confirm: askConfirm() },
            requestState: await state("request_state"),
          }),
  },
  test_input_required_result_tampered_state: {
    run: async (_, context) =>
      accepted(context, "confirm") && context.mcpReq.requestState() !== undefined
        ? saying("integrity-ok")
        : inputRequired({
            inputRequests: { confirm: askConfirm() },
            requestState: await state("tampered_state"),
          }),
  },
  test_input_required_result_multiple_inputs: {
    run: async (_, context) =>
      accepted(context, "user_name") && responses(context)?.greeting && responses(context)?.client_roots
        ? saying(JSON.stringify(responses(context)))
        : inputRequired({
            inputRequests: {
              user_name: askName(),
              greeting: askModel("Generate a greeting"),
              client_roots: inputRequired.listRoots(),
            },
            requestState: await state("multiple_inputs"),
          }),
  },
  test_input_required_result_multi_round: {
    async run(_, context) {
      const { round = 0, name } = (context.mcpReq.requestState() ?? {}) as { round?: number; name?: unknown };
      if (round === 0)
        return inputRequired({
          inputRequests: { step1: askName() },
          requestState: await state("multi_round", { round: 1 }),
        });
      if (round === 1)
        return inputRequired({
          inputRequests: {
            step2: inputRequired.elicit({
              message: "What is your favorite color?",
              requestedSchema: form({ color: { type: "string" } }),
            }),
          },
          requestState: await state("multi_round", { round: 2, name: accepted(context, "step1")?.name }),
        });
      return saying(`${name} likes ${accepted(context, "step2")?.color}`);
    },
  },
  test_input_required_result_capabilities: {
    run(_, context) {
      if (responses(context)) return saying("fulfilled");
      const declared = ((context.mcpReq.envelope as Fields | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ??
        {}) as Fields;
      const inputRequests = {
        ...(declared.elicitation !== undefined && { user_name: askName() }),
        ...(declared.sampling !== undefined && { greeting: askModel("Generate a greeting") }),
        ...(declared.roots !== undefined && { client_roots: inputRequired.listRoots() }),
      };
      return Object.keys(inputRequests).length ? inputRequired({ inputRequests }) : saying("nothing to ask");
    },
  },
};
