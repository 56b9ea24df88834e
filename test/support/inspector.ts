/** The protocol's inspector, its command line alone; compiled, so that it starts fast. */
import { join } from "node:path";
import { bareEnvironment, root } from "./cli.ts";
import { compiled } from "./compiled.ts";

let inspector: Promise<string> | undefined;

/** One call of a tool from its command line; `server` is an address, or a command that gets `env`. */
export async function inspected(
  server: readonly string[],
  tool: string,
  args: Record<string, unknown>,
  env: Record<string, string>,
) {
  const pairs = Object.entries(args).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const how = server[0]!.startsWith("http") ? ["--transport", "http"] : [];
  inspector ??= compiled(join(root, "node_modules/@modelcontextprotocol/inspector-cli/build/index.js"));
  const child = Bun.spawn(
    [await inspector, ...server, ...how, "--method", "tools/call", "--tool-name", tool].concat(
      pairs.length ? ["--tool-arg", ...pairs] : [],
    ),
    { env: bareEnvironment(env), stdin: "ignore", stdout: "pipe", stderr: "pipe" },
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
