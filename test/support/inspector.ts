/** The protocol's inspector, where there is one: `TEST_INSPECTOR`, else `mcp-inspector` on the path. Nothing here downloads it. */
import { bareEnvironment } from "./cli.ts";

export const inspector = process.env.TEST_INSPECTOR || Bun.which("mcp-inspector") || undefined;
if (!inspector)
  console.warn(
    "no MCP inspector here: set TEST_INSPECTOR to the program to run its tests, which are skipped",
  );

/** One call of a tool from its command line; `server` is a command or an address. */
export async function inspected(server: readonly string[], tool: string, args: Record<string, unknown>) {
  const pairs = Object.entries(args).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const how = server[0]!.startsWith("http") ? ["--transport", "http"] : [];
  const child = Bun.spawn(
    [inspector!, "--cli", ...server, ...how, "--method", "tools/call", "--tool-name", tool].concat(
      pairs.length ? ["--tool-arg", ...pairs] : [],
    ),
    { env: bareEnvironment(), stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  try {
    return JSON.parse(out);
  } catch {
    throw new Error(`the inspector said ${out}${error}`);
  }
}
