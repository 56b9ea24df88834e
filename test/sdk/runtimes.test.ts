/** The built client in runtimes that are not ours: plain Node, and a browser. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { chromium, chromiumPath } from "../support/browser.ts";
import { root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere, type TestHub } from "../support/hub.ts";

const client = join(root, "dist/client.js");

/** What each runtime does with the client; it answers with one line of JSON. */
const round = (source: string, url: string) => `
  import { Inbox, InboxError } from ${JSON.stringify(source)};
  const inbox = await Inbox.open(${url}, { agent: "visitor" });
  const { id } = await inbox.messages.send({ channel: "c", content: "hello" });
  const waiting = inbox.mailbox.receive({ agent: "c2", timeoutSeconds: 10 });
  await inbox.mailbox.send({ to: "c2", message: "wake up" });
  const { messages } = await waiting;
  const error = await inbox.threads.show({ thread: "thr_9" }).catch((thrown) => thrown);
  const events = [];
  for await (const { eventType } of inbox.events.follow({ afterEvent: 0 })) if (events.push(eventType) === 2) break;
  const line = JSON.stringify({ id, got: messages[0].message, pending: await inbox.messages.pending("c"), typed: error instanceof InboxError, code: error.code, events });`;

const wanted = {
  id: 1,
  got: "wake up",
  pending: 1,
  typed: true,
  code: "not_found",
  events: ["agent.joined", "message.sent"],
};

async function withHub(work: (hub: TestHub) => Promise<void>): Promise<void> {
  await using hub = await hubHere();
  await work(hub);
}

test("[C6] restante/client runs on plain Node", () =>
  withHub(async (hub) => {
    const script = `${round(client, JSON.stringify(hub.url))}\n console.log(line);`;
    const node = Bun.spawn(["node", "--input-type=module", "-e", script], { stdout: "pipe", stderr: "pipe" });
    const [text, problems] = await Promise.all([
      new Response(node.stdout).text(),
      new Response(node.stderr).text(),
    ]);
    expect(problems).toBe("");
    expect(JSON.parse(text)).toEqual(wanted);
  }));

test.skipIf(!chromiumPath())("[C6] restante/client runs in Chromium", () =>
  withHub(async (hub) => {
    using profile = temporaryFolder();
    // One origin for the page and the hub: a browser does not let a page read another's answers, and neither do we.
    let report: (line: string) => void;
    const reported = new Promise<string>((done) => {
      report = done;
    });
    const script = `${round("/client.js", "location.origin")}\n await fetch("/report", { method: "POST", body: line });`;
    const page = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (pathname === "/")
          return new Response('<script type="module" src="/round.js"></script>', {
            headers: { "content-type": "text/html" },
          });
        if (pathname === "/round.js")
          return new Response(script, { headers: { "content-type": "text/javascript" } });
        if (pathname === "/client.js")
          return new Response(Bun.file(client), { headers: { "content-type": "text/javascript" } });
        if (pathname === "/report") {
          report(await request.text());
          return new Response();
        }
        return fetch(hub.url + pathname + search, {
          method: request.method,
          headers: request.headers,
          body: request.body,
        });
      },
    });
    const browser = Bun.spawn(chromium(profile.path, `http://127.0.0.1:${page.port}/`), {
      stdout: "ignore",
      stderr: "ignore",
    });
    try {
      expect(JSON.parse(await reported)).toEqual(wanted);
    } finally {
      browser.kill();
      await browser.exited;
      await page.stop(true);
    }
  }),
);

test("[C6] the package's own name leads to it: restante on Bun, restante/client anywhere", async () => {
  const script = `
    const { Inbox } = await import("restante");
    const { Inbox: Remote } = await import("restante/client");
    console.log(typeof Inbox.open, typeof Remote.open);`;
  for (const runtime of [
    [process.execPath, "--no-env-file", "-e"],
    ["node", "--input-type=module", "-e"],
  ]) {
    const child = Bun.spawn([...runtime, script], { cwd: root, stdout: "pipe", stderr: "pipe" });
    expect([await new Response(child.stdout).text(), await new Response(child.stderr).text()]).toEqual([
      "function function\n",
      "",
    ]);
  }
});
