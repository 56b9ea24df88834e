/** What the scripted models have in common: a server on loopback, and what was asked of it. */
import type { Conversation, ScriptedModel } from "./scripted-model.ts";

export function scriptedServer(
  answer: (request: Request, heard: Conversation[]) => Promise<Response>,
): ScriptedModel {
  const heard: Conversation[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => answer(request, heard),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    heard,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
