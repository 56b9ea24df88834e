/** [B4] [W4] Clients that were gone before the hub looked at what they had sent. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { served } from "../support/hub.ts";
import { bytesOf, line } from "../support/socket.ts";
import { until } from "../support/until.ts";

/** What each of them would have taken. */
const asked: [route: string, body: Record<string, unknown>][] = [
  ["POST /api/mailbox/w/receive", { timeoutSeconds: 0 }],
  ["POST /api/mailbox/w/check", {}],
  ["POST /api/threads/claim", { agent: "w" }],
  ["POST /api/threads/thr_1/show", { agent: "w", markRead: true }],
  ["POST /api/messages/inbox/log/read", { reader: "r", commit: true }],
];

test("[B4] [W4] [L1] a client that is gone before a stopped hub continues takes nothing: no mail, no position, no lease", async () => {
  await using hub = await served();
  await hub.ask("POST /api/threads", { from: "lead", to: "w", subject: "s" });
  for (const channel of ["w", "log"])
    await hub.ask("POST /api/messages", { channel, content: "m", sender: "lead" });
  for (const handOver of [false, true])
    for (const [route, body] of asked) {
      const lines = await Promise.all(Array.from({ length: 3 }, () => line(hub.url)));
      hub.kill("SIGSTOP");
      await until("the hub stands still", () =>
        /\) T /.test(readFileSync(`/proc/${hub.pid}/stat`, "latin1")),
      );
      for (const raw of lines)
        await new Promise<void>((sent) =>
          raw.socket.write(
            bytesOf(route, body, handOver ? { "x-inbox-hand-over": crypto.randomUUID() } : {}),
            () => sent(),
          ),
        );
      for (const raw of lines) raw.cut();
      hub.kill("SIGCONT");
      // Asked later than the others: it is answered when they have been.
      const { messages, hidden } = (await hub.ask("GET /api/mailbox/w")).json;
      expect([route, messages.length, hidden]).toEqual([route, 2, 0]);
      expect((await hub.ask("GET /api/threads/thr_1")).json).toMatchObject({
        thread: { status: "pending" },
        lease: null,
      });
      const position = await hub.ask("POST /api/messages/inbox/log/read", { reader: "r" });
      expect(position.json.count).toBe(1);
    }
});
