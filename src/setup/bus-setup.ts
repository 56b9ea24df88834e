/** [C7] `inbox setup`: computes the change of a client's configuration and, after confirmation, writes it. */
import { basename, join } from "node:path";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { call, field, option, phrase, variable } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { type Asked, isHub, placeNamed } from "../location/locate.ts";
import { type Client, clients, type Entry, isTable, type Server } from "./clients.ts";
import { unifiedDiff } from "./diff.ts";
import { find, replace } from "./file.ts";
import { dropJson, parseJson, putJson, withoutEntry } from "./jsonc.ts";
import { dropToml, parseToml, putToml } from "./toml.ts";

type Input = ParsedOf<"bus.setup">;

const entryName = "inbox";
/** A hub's tools, or those of one of its workspaces. */
const toolsPath = /\/mcp(\/[^/]+)?$/;
const bom = "\ufeff";

export async function busSetup(asked: Asked, input: Input): Promise<OutputOf<"bus.setup">> {
  const client = clients[input.client];
  const server = input.remove ? undefined : serverOf(asked, input, client);
  const file = client.file(input.scope, asked.cwd, homeOf(asked, input), asked.env);
  const found = find(file);
  const mark = found.text?.startsWith(bom) ? bom : "";
  const text = found.text?.slice(mark.length);
  const changed = change(file, text ?? "", client, server);
  // A link belongs to the user: the file it leads to is emptied, not deleted.
  const left = changed ?? (found.linked ? (client.format === "toml" ? "" : "{}\n") : undefined);
  const after = left === undefined ? undefined : mark + left;
  const differs = text === undefined ? server !== undefined : after !== found.text;
  if (differs && input.yes) replace(found, after, input.scope === "user" ? 0o600 : 0o644);
  const diff = differs ? unifiedDiff(file, found.text, after) : "";
  return {
    file,
    changed: differs,
    configured: server !== undefined,
    diff,
    written: differs && input.yes,
    agent: nameIn(input, server),
    session: null,
  };
}

/** [C9] The agent's name on the bus, if the entry has one; otherwise the server's default. */
function nameIn({ agent }: Input, server: Server | undefined): string | null {
  if (server === undefined) return null;
  if ("url" in server && (server.token || toolsPath.exec(new URL(server.url).pathname)?.[1])) return null;
  return agent ?? "main";
}

function homeOf({ env }: Asked, { scope }: Input): string {
  if (env.HOME || scope === "project") return env.HOME ?? "";
  throw new InboxError("invalid_input", phrase`${field("scope", "user")} requires HOME, which is not set`, {
    hint: phrase`set HOME, or use ${field("scope", "project")}`,
  });
}

function serverOf(asked: Asked, { agent, url, scope }: Input, client: Client): Server {
  if (url !== undefined) {
    if (asked.db !== undefined)
      throw new InboxError("invalid_input", phrase`${field("url")} and ${option("db")} cannot be combined`, {
        hint: "leave out one of them",
      });
    return { url: hubAddress(url, agent), token: Boolean(asked.env.INBOX_TOKEN) };
  }
  const place = asked.db === undefined ? (client.place?.(scope) ?? []) : ["--db", placeOf(asked)];
  return { command: commandOf(asked), args: ["mcp", ...place], agent };
}

function hubAddress(url: string, agent: string | undefined): string {
  const hint = "for example http://127.0.0.1:3456";
  if (!isHub(url) || !URL.canParse(url))
    throw new InboxError(
      "invalid_input",
      phrase`${field("url")} must be the address of a hub, got ${withoutPassword(url)}`,
      {
        hint,
      },
    );
  const address = new URL(url);
  if (address.username || address.password)
    throw new InboxError(
      "invalid_input",
      phrase`${field("url")} contains a user name or password, which would be stored in the file`,
      {
        hint: "use a token: set INBOX_TOKEN where the client runs",
      },
    );
  const path = address.pathname.replace(/\/+$/, "");
  address.pathname = toolsPath.test(path) ? path : `${path}/mcp`;
  if (agent !== undefined && toolsPath.exec(path)?.[1])
    throw new InboxError("invalid_input", "a workspace's address determines its agent", {
      hint: phrase`leave out ${field("agent")}; ${call("workspaces.list")} shows it`,
    });
  // A token says who is calling; without one, the address does.
  if (agent !== undefined) address.searchParams.set("agent", agent);
  return address.href;
}

function placeOf({ db, cwd }: Asked): string {
  const place = placeNamed(db!, option("db"), cwd);
  if (withoutPassword(place) !== place)
    throw new InboxError(
      "invalid_input",
      phrase`${option("db")} contains a password, which would be stored in the file`,
      {
        hint: phrase`leave out ${option("db")}, and set ${variable("INBOX_DB")} where the client runs`,
      },
    );
  return place;
}

/** By name if a shell finds it, so that a shared file works for everybody; else by the path of this program. */
function commandOf({ env }: Asked): string {
  if (Bun.which("inbox", { PATH: env.PATH ?? "" })) return "inbox";
  const built = Bun.main.startsWith("/$bunfs/") || basename(process.execPath) === "inbox";
  return built ? process.execPath : join(import.meta.dir, "../../bin/inbox");
}

function change(file: string, text: string, client: Client, server: Server | undefined): string | undefined {
  const toml = client.format === "toml";
  const read = (source: string) => {
    if (source.trim() === "") return {};
    return toml ? parseToml(source) : parseJson(source, client.format === "jsonc");
  };
  const config = readable(file, toml, () => read(text));
  const path = [...client.servers(config), entryName];
  const current = lookUp(file, config, path);
  if (current !== undefined && !isOurs(current)) throw notOurs(file, server !== undefined);
  if (server === undefined && current === undefined) return text;
  const entry = server && merged(client, current as Entry | undefined, client.entry(server));
  if (entry && Bun.deepEquals(entry, current)) return text;
  const after = entry
    ? (toml ? putToml : putJson)(text, path, entry)
    : (toml ? dropToml : dropJson)(text, path);
  const meant = () => {
    const result = read(after ?? "") as Entry;
    const rest = [result, config].map((whole) => withoutEntry(whole, path));
    return Bun.deepEquals(lookUp(file, result, path), entry) && Bun.deepEquals(rest[0], rest[1]);
  };
  if (!holds(meant))
    throw new InboxError("invalid_input", `${file} has a form that cannot be changed safely`, {
      hint: `nothing was written; change the entry ${path.join(".")} by hand`,
    });
  return after;
}

function readable(file: string, toml: boolean, read: () => unknown): Entry {
  const refuse = (why: string) =>
    new InboxError("invalid_input", `${file} is not valid ${toml ? "TOML" : "JSON"}: ${why}`, {
      hint: "nothing was written; fix the file or move it away, and run this again",
    });
  let config: unknown;
  try {
    config = read();
  } catch (error) {
    throw refuse((error as Error).message);
  }
  if (!isTable(config)) throw refuse("it contains no settings table");
  return config;
}

function lookUp(file: string, config: Entry, path: readonly string[]): unknown {
  let value: unknown = config;
  for (const [depth, key] of path.entries()) {
    if (value === undefined) return undefined;
    if (!isTable(value))
      throw new InboxError(
        "invalid_input",
        `${file}: ${path.slice(0, depth).join(".")} is not a table of servers`,
        {
          hint: "nothing was written; fix the file or move it away, and run this again",
        },
      );
    value = value[key];
  }
  return value;
}

/** Our entry starts `inbox mcp`, or names a hub's /mcp. Any other entry of the same name belongs to somebody else. */
function isOurs(entry: unknown): boolean {
  if (!isTable(entry)) return false;
  const { command, args, url, httpUrl } = entry;
  const words = [command, args].flat();
  if (typeof words[0] === "string") return /(^|[/\\])inbox(\.exe)?$/.test(words[0]) && words[1] === "mcp";
  const address = url ?? httpUrl;
  return typeof address === "string" && URL.canParse(address) && toolsPath.test(new URL(address).pathname);
}

const notOurs = (file: string, adding: boolean) =>
  new InboxError("conflict", `${file} has an entry "${entryName}" that belongs to another program`, {
    hint: adding
      ? "nothing was written; rename that entry first"
      : "nothing was written; remove it by hand if intended",
  });

/** Keys and variables that a user has added to the entry are kept. */
function merged(client: Client, current: Entry | undefined, entry: Entry): Entry {
  if (!current) return entry;
  const kept = Object.entries(current).filter(([key]) => !client.keys.includes(key));
  const result: Entry = { ...entry, ...Object.fromEntries(kept) };
  for (const key of ["env", "environment"]) {
    const variables = current[key];
    if (!("command" in entry) || !isTable(variables)) continue;
    const { INBOX_AGENT: _, ...others } = variables;
    if (Object.keys(others).length) result[key] = { ...others, ...(entry[key] as Entry | undefined) };
  }
  return result;
}

function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}
