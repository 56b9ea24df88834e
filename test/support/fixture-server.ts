/**
 * What the protocol's own suite expects a server to have, for trying the transport alone: tools, resources and prompts
 * by the names it asks for. None of it is the product's; what carries it is.
 */
import {
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  accepted,
  embedded,
  type Fields,
  fixtureTools,
  form,
  image,
  png,
  states,
  text,
} from "./fixture-tools.ts";

const message = (content: object) => ({ role: "user" as const, content: content as never });

export function fixtureServer(): McpServer {
  const server = new McpServer(
    { name: "fixture", version: "1" },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} },
      requestState: { verify: states.verify },
    },
  );
  for (const [name, { schema = { type: "object" }, run }] of Object.entries(fixtureTools))
    server.registerTool(name, { description: name, inputSchema: fromJsonSchema(schema as never) }, ((
      args: Fields,
      context: ServerContext,
    ) => run(args, context)) as never);
  const resource = (uri: string, mimeType: string, content: object) =>
    server.registerResource(uri, uri, { mimeType }, async () => ({
      contents: [{ uri, mimeType, ...content } as never],
    }));
  resource("test://static-text", "text/plain", { text: "This is the content of the static text resource." });
  resource("test://static-binary", "image/png", { blob: png });
  resource("test://watched-resource", "text/plain", { text: "Watched" });
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json" },
    async (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
  for (const method of ["resources/subscribe", "resources/unsubscribe", "logging/setLevel"] as const)
    server.server.setRequestHandler(method, async () => ({}));
  server.server.setRequestHandler("completion/complete", async () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  const prompt = (
    name: string,
    args: string[],
    say: (given: Record<string, string>, context: ServerContext) => unknown,
  ) =>
    server.registerPrompt(
      name,
      {
        description: name,
        ...(args.length && {
          argsSchema: fromJsonSchema(
            form(Object.fromEntries(args.map((arg) => [arg, { type: "string" }]))) as never,
          ),
        }),
      } as never,
      ((...given: [Record<string, string>, ServerContext] | [ServerContext]) =>
        given.length === 1 ? say({}, given[0]) : say(...given)) as never,
    );
  prompt("test_simple_prompt", [], () => ({
    messages: [message(text("This is a simple prompt for testing."))],
  }));
  prompt("test_prompt_with_arguments", ["arg1", "arg2"], ({ arg1, arg2 }) => ({
    messages: [message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  }));
  prompt("test_prompt_with_embedded_resource", ["resourceUri"], ({ resourceUri }) => ({
    messages: [
      message(embedded(resourceUri!, "text/plain", "Embedded resource content for testing.")),
      message(text("Please process the embedded resource above.")),
    ],
  }));
  prompt("test_prompt_with_image", [], () => ({
    messages: [message(image), message(text("Please analyze the image above."))],
  }));
  prompt("test_input_required_result_prompt", [], (_, context) => {
    const said = accepted(context, "user_context")?.context;
    if (typeof said === "string") return { messages: [message(text(`Use the following context: ${said}`))] };
    const requestedSchema = form({ context: { type: "string" } });
    return inputRequired({
      inputRequests: { user_context: inputRequired.elicit({ message: "What context?", requestedSchema }) },
    });
  });
  return server;
}
