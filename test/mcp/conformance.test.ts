/** The protocol's own suite, against the hub as it is. Scenarios that need tools made for the test are listed with the reason. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { bareEnvironment, root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";

const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** What is run, with the checks that cannot pass here. */
const applies: Record<string, readonly string[]> = {
  "server-initialize": [],
  "server-session-lifecycle": [],
  // Both ask for a tool that needs a capability of its client; none of ours does.
  "server-stateless": [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
  ],
  ping: [],
  "tools-list": [],
  "resources-list": [],
  "prompts-list": [],
  "dns-rebinding-protection": [],
  "http-header-validation": [],
  caching: [],
  "sep-2164-resource-not-found": [],
  "server-sse-multiple-streams": [],
};

/** Why the others are not, by the beginning of their names. */
const doNotApply: Record<string, string> = {
  "tools-call-": "call tools that only a server made for this suite has",
  "json-schema-2020-12": "looks for such a tool",
  "resources-read-": "read resources that only such a server has",
  "resources-templates-read": "reads such a resource",
  "resources-subscribe": "subscriptions are not offered yet",
  "resources-unsubscribe": "subscriptions are not offered yet",
  "prompts-get-": "get prompts that only such a server has",
  "completion-complete": "completion is not offered",
  "logging-set-level": "logging is not offered: the protocol is giving it up",
  "elicitation-": "the hub asks its client nothing",
  "input-required-": "the hub asks its client nothing",
  "server-sse-polling":
    "answers are not kept for a client that comes back: it calls again and misses nothing",
  "http-custom-header-": "no tool takes a header",
  "tasks-": "an extension that is not offered",
  "sep-2640-": "an extension that is not offered yet",
};

async function conformance(...args: string[]): Promise<string> {
  using folder = temporaryFolder();
  const child = Bun.spawn([process.execPath, "--no-env-file", suite, ...args], {
    cwd: folder.path,
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

test("[C5] every scenario of the protocol's suite is run, or has a reason why not", async () => {
  const listed = [...(await conformance("list", "--server")).matchAll(/^ {2}- (\S+)/gm)].map(
    (match) => match[1]!,
  );
  expect(listed.length).toBeGreaterThan(50);
  const left = listed.filter(
    (name) => !(name in applies) && !Object.keys(doNotApply).some((start) => name.startsWith(start)),
  );
  expect(left).toEqual([]);
  expect(Object.keys(applies).filter((name) => !listed.includes(name))).toEqual([]);
});

test.each(Object.entries(applies))("[C5] the protocol's own suite: %s", async (scenario, impossible) => {
  await using hub = await hubHere();
  const text = await conformance("server", "--url", `${hub.url}/mcp`, "--scenario", scenario);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it paints its report
  const plain = text.replace(/\u001b\[\d+m/g, "");
  const failed = [...plain.matchAll(/\[([\w-]+)\s*\] FAILURE/g)].map((match) => match[1]!);
  expect(failed).toEqual([...impossible]);
  const [, passed, all] = /Passed: (\d+)\/(\d+)/.exec(plain) ?? [];
  expect([Number(passed), Number(all)]).toEqual([Number(all) - impossible.length, expect.any(Number)]);
  expect(Number(passed)).toBeGreaterThan(1);
});
