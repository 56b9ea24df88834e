/** The official client, over both transports and in both revisions, as any agent would use it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bareEnvironment, program } from "./cli.ts";

export const revisions = ["2026-07-28", "2025-11-25"] as const;
export type Revision = (typeof revisions)[number];

export interface Answer {
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  fields: any;
  failed: boolean;
}

export interface Visitor {
  client: Client;
  call(tool: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<Answer>;
  [Symbol.asyncDispose](): Promise<void>;
}

async function visitor(
  revision: Revision,
  transport: StreamableHTTPClientTransport | StdioClientTransport,
): Promise<Visitor> {
  const newest = revision === revisions[0];
  const client = new Client(
    { name: "test", version: "1" },
    newest ? { versionNegotiation: { mode: "auto" } } : {},
  );
  await client.connect(transport);
  const spoken = client.getNegotiatedProtocolVersion();
  if (spoken !== revision) throw new Error(`spoke ${spoken}, not ${revision}`);
  return {
    client,
    async call(name, args = {}, signal) {
      const { content, structuredContent, isError } = await client.callTool(
        { name, arguments: args },
        { signal },
      );
      const [first] = content as { text: string }[];
      return { text: first?.text ?? "", fields: structuredContent, failed: isError === true };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export const overHttp = (url: string, revision: Revision, headers: Record<string, string> = {}) =>
  visitor(revision, new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

export const overStdio = (db: string, revision: Revision, agent?: string, ...args: string[]) =>
  stdioOf(revision, program, ["mcp", ...args], identified(db, agent));

/** The same, started somewhere, and with more in its environment. */
export const overStdioAt = (
  place: { cwd?: string; env?: Record<string, string> },
  db: string,
  revision: Revision,
  agent?: string,
) => stdioOf(revision, program, ["mcp"], { ...identified(db, agent), ...place.env }, place.cwd);

const identified = (db: string, agent: string | undefined) => ({
  INBOX_DB: db,
  ...(agent !== undefined && { INBOX_AGENT: agent }),
});

/** Any server on standard input and output. */
export const stdioOf = (
  revision: Revision,
  command: string,
  args: string[],
  env: Record<string, string> = {},
  cwd?: string,
) => visitor(revision, new StdioClientTransport({ command, args, env: bareEnvironment(env), cwd }));
