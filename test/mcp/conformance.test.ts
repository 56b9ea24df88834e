/**
 * The protocol's own suite, in both revisions. What asks for something that only a server made for it has is run against
 * such a server behind our own transport; everything else against the hub as it is.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openInbox } from "../../src/inbox/inbox.ts";
import { openMcp } from "../../src/surfaces/mcp/http.ts";
import { bareEnvironment, root } from "../support/cli.ts";
import { fixtureServer } from "../support/fixture-server.ts";
import { temporaryFolder } from "../support/folder.ts";
import { freshDatabase } from "../support/fresh-bus.ts";
import { hubHere } from "../support/hub.ts";
import { revisions } from "../support/mcp.ts";

const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

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
  const child = Bun.spawn([process.execPath, suite, ...args], {
    env: bareEnvironment(),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return `${out}${error}`;
}

const listed = [...(await conformance("list", "--server")).matchAll(/^ {2}- (\S+) \[(.*)\]/gm)].map(
  ([, name, versions]) => ({ name: name!, versions: versions!.split(",") }),
);
const begins = (name: string, starts: readonly string[]) => starts.some((start) => name.startsWith(start));

interface Scenario {
  name: string;
  revision?: string;
  title: string;
}

/** Every scenario in each of our revisions that has it; an extension belongs to none, and is tried as it comes. */
const cases = (wanted: (name: string) => boolean): Scenario[] =>
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

interface Check {
  id: string;
  status: string;
}

/** What the suite found at a server. Of a revision all scenarios are run by one process, which starts more slowly than they run. */
class Findings {
  private readonly folder = temporaryFolder();
  private readonly runs = new Map<string, Promise<string>>();
  constructor(private readonly url: string) {}

  async of({ name, revision }: Scenario): Promise<Check[]> {
    const run = revision ?? name;
    const out = join(this.folder.path, run);
    const which = revision ? ["--suite", "all", "--spec-version", revision] : ["--scenario", name];
    const said = this.runs.get(run) ?? conformance("server", "--url", this.url, ...which, "-o", out);
    this.runs.set(run, said);
    await said;
    const found = readdirSync(out).find((one) => one.startsWith(`server-${name}-20`));
    if (!found) throw new Error(`the suite did not run ${name}:\n${await said}`);
    return JSON.parse(readFileSync(join(out, found, "checks.json"), "utf8"));
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]();
  }
}

function passes(checks: readonly Check[], impossible: readonly string[]): void {
  const failed = checks.filter(({ status }) => status === "FAILURE").map(({ id }) => id);
  expect(failed).toEqual([...impossible]);
  // That all that is sent is well formed is checked everywhere; there must be something of the scenario's own.
  const own = checks.filter(({ id, status }) => status === "SUCCESS" && id !== "wire-schema-valid");
  expect(own).not.toEqual([]);
}

test("[C5] every scenario of the protocol's suite is run, or has a reason why not", () => {
  expect(listed.length).toBeGreaterThan(50);
  const known = [...Object.keys(atTheHub), ...atTheFixture, ...Object.keys(doNotApply)];
  expect(listed.filter(({ name }) => !begins(name, known))).toEqual([]);
  expect(known.filter((start) => !listed.some(({ name }) => name.startsWith(start)))).toEqual([]);
});

describe("the hub", () => {
  const left = new AsyncDisposableStack();
  let findings: Findings;
  beforeAll(async () => {
    const hub = left.use(await hubHere());
    findings = left.use(new Findings(`${hub.url}/mcp`));
  });
  afterAll(() => left.disposeAsync());

  test.each(cases((name) => name in atTheHub))("[C5] $title", async (scenario) => {
    passes(await findings.of(scenario), atTheHub[scenario.name]!);
  });
});

describe("the transport", () => {
  const left = new AsyncDisposableStack();
  let findings: Findings;
  beforeAll(() => {
    const folder = left.use(temporaryFolder());
    const db = join(folder.path, "coord.db");
    freshDatabase(db);
    const inbox = openInbox(db);
    left.defer(() => inbox.close());
    const mcp = openMcp(inbox, { stopping: new AbortController().signal, make: fixtureServer });
    const admit = { wait: () => () => {}, session: () => () => {} };
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => mcp.fetch(request, { caller: {}, admit }),
    });
    left.defer(() => server.stop(true));
    left.defer(() => mcp.close());
    findings = left.use(new Findings(`http://127.0.0.1:${server.port}/mcp`));
  });
  afterAll(() => left.disposeAsync());

  test.each(cases((name) => begins(name, atTheFixture)))("[C5] $title", async (scenario) => {
    passes(await findings.of(scenario), []);
  });
});
