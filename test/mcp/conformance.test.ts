/**
 * The protocol's own suite, in both revisions. What asks for something that only a server made for it has is run against
 * such a server behind our own transport; everything else against the hub as it is.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openInbox } from "../../src/inbox/inbox.ts";
import { openMcp } from "../../src/surfaces/mcp/http.ts";
import { bareEnvironment, root } from "../support/cli.ts";
import { compiled } from "../support/compiled.ts";
import { fixtureServer } from "../support/fixture-server.ts";
import { temporaryFolder } from "../support/folder.ts";
import { freshDatabase } from "../support/fresh-bus.ts";
import { hubHere } from "../support/hub.ts";
import { revisions } from "../support/mcp.ts";

const suite = await compiled(join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js"));

/** Against the hub, with the checks that cannot pass there. */
const atTheHub: Record<string, readonly string[]> = {
  "server-initialize": [],
  "server-session-lifecycle": [],
  // They call diagnostic tools, which a hub has not: two for a capability of the client's, two for a stream or a log.
  "server-stateless": [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
  ],
  ping: [],
  "tools-list": [],
  "resources-list": [],
  "prompts-list": [],
  "dns-rebinding-protection": [],
  "http-header-validation": [],
  caching: [],
  "sep-2164-resource-not-found": [],
  "sep-2640-skills-enumeration": [],
  "sep-2640-skills-manifest": [],
  "server-sse-multiple-streams": [],
};

/** Against the server made for it, by the beginning of their names. */
const atTheFixture = [
  "tools-call-",
  "json-schema-2020-12",
  "resources-read-",
  "resources-templates-read",
  "resources-subscribe",
  "resources-unsubscribe",
  "prompts-get-",
  "completion-complete",
  "logging-set-level",
  "elicitation-",
  "input-required-",
  "http-custom-header-",
  "server-stateless",
];

/** Why the others are not, by the beginning of their names. */
const doNotApply: Record<string, string> = {
  "server-sse-polling":
    "answers are not kept for a client that comes back: it calls again and misses nothing",
  "sep-2640-skills-directory": "skills are one file each, so that no folder is offered to be read",
  "tasks-": "an extension that is not offered, and that the SDK does not have",
};

async function conformance(...args: string[]): Promise<string> {
  using folder = temporaryFolder();
  const child = Bun.spawn([suite, ...args], {
    cwd: folder.path,
    env: bareEnvironment(),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it paints its report
  return `${out}${error}`.replace(/\u001b\[\d+m/g, "");
}

const listed = [...(await conformance("list", "--server")).matchAll(/^ {2}- (\S+) \[(.*)\]/gm)].map(
  ([, name, versions]) => ({ name: name!, versions: versions!.split(",") }),
);
const begins = (name: string, starts: readonly string[]) => starts.some((start) => name.startsWith(start));

/** Every scenario in each of our revisions that has it; an extension belongs to none, and is tried as it comes. */
const cases = (wanted: (name: string) => boolean) =>
  listed
    .filter(({ name }) => wanted(name))
    .flatMap(({ name, versions }) => {
      const ours: (string | undefined)[] = revisions.filter((revision) => versions.includes(revision));
      return (ours.length ? ours : [undefined]).map((revision) => ({
        name,
        revision,
        title: [name, revision].filter(Boolean).join(" "),
      }));
    });

async function passes(
  url: string,
  { name, revision }: { name: string; revision?: string },
  impossible: readonly string[],
): Promise<void> {
  const version = revision === undefined ? [] : ["--spec-version", revision];
  const said = await conformance("server", "--url", url, "--scenario", name, ...version);
  const failed = [...said.matchAll(/\[([\w-]+)\s*\] FAILURE/g)].map((match) => match[1]!);
  expect(failed).toEqual([...impossible]);
  const [, passed, all] = /Passed: (\d+)\/(\d+)/.exec(said) ?? [];
  expect([Number(passed), Number(all)]).toEqual([Number(all) - impossible.length, expect.any(Number)]);
  // That all that is sent is well formed is checked everywhere; there must be something of the scenario's own.
  const own = [...said.matchAll(/\[([\w-]+)\s*\] SUCCESS/g)].filter(
    (match) => match[1] !== "wire-schema-valid",
  );
  expect(own).not.toEqual([]);
}

test("[C5] every scenario of the protocol's suite is run, or has a reason why not", () => {
  expect(listed.length).toBeGreaterThan(50);
  const known = [...Object.keys(atTheHub), ...atTheFixture, ...Object.keys(doNotApply)];
  expect(listed.filter(({ name }) => !begins(name, known))).toEqual([]);
  expect(known.filter((start) => !listed.some(({ name }) => name.startsWith(start)))).toEqual([]);
});

describe("the hub", () => {
  test.each(cases((name) => name in atTheHub))("[C5] $title", async (scenario) => {
    await using hub = await hubHere();
    await passes(`${hub.url}/mcp`, scenario, atTheHub[scenario.name]!);
  });
});

describe("the transport", () => {
  test.each(cases((name) => begins(name, atTheFixture)))("[C5] $title", async (scenario) => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    freshDatabase(db);
    const inbox = openInbox(db);
    const mcp = openMcp(inbox, { stopping: new AbortController().signal, make: fixtureServer });
    const admit = { wait: () => () => {}, session: () => () => {} };
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => mcp.fetch(request, { caller: {}, admit }),
    });
    try {
      await passes(`http://127.0.0.1:${server.port}/mcp`, scenario, []);
    } finally {
      await mcp.close();
      await server.stop(true);
      await inbox.close();
    }
  });
});
