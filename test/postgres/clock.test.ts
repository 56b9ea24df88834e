/** [L8] Two hubs on one database, one of them on a machine whose clock is an hour ahead. */
import { expect, test } from "bun:test";
import { bareEnvironment, program } from "../support/cli.ts";
import { anHourAhead as later } from "../support/faketime.ts";
import { type Ask, ask } from "../support/hub.ts";
import { temporarySchema } from "../support/postgres.ts";
import { postgresSuite } from "../support/postgres-suite.ts";
import { until } from "../support/until.ts";

interface ServedAt {
  ask: Ask;
  [Symbol.asyncDispose](): Promise<void>;
}

async function servedAt(db: string, env: Record<string, string> = {}): Promise<ServedAt> {
  const child = Bun.spawn([program, "serve", "--port", "0", "--json", "--db", db], {
    cwd: "/",
    env: bareEnvironment(env),
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await child.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
  return {
    ask: ask(JSON.parse(value!).url),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

const minute = 60_000;
/** How far a time lies from now, as this machine and the database's see it. */
const fromNow = (time: string) => Date.parse(time) - Date.now();

postgresSuite("clock", () => {
  test.skipIf(!later)(
    "[L8] [M5] leases and messages last as long through a hub whose clock is an hour ahead",
    async () => {
      using place = await temporarySchema();
      await using right = await servedAt(place.url);
      await using wrong = await servedAt(place.url, later);
      // It really is an hour ahead, by its own word.
      const date = (await wrong.ask("GET /healthz")).headers.get("date")!;
      expect(fromNow(date)).toBeGreaterThan(59 * minute);

      for (const [mine, other] of [
        [right, wrong],
        [wrong, right],
      ] as const) {
        const { json: sent } = await mine.ask("POST /api/threads", { from: "lead", to: "w", subject: "s" });
        const { threadId } = sent.thread;
        expect(Math.abs(fromNow(sent.thread.createdAt))).toBeLessThan(minute);
        const claimed = await mine.ask(`POST /api/threads/${threadId}/claim`, {
          agent: "w",
          leaseSeconds: 600,
        });
        expect(Math.abs(fromNow(claimed.json.lease.expiresAt) - 10 * minute)).toBeLessThan(minute);
        const stolen = await other.ask(`POST /api/threads/${threadId}/claim`, { agent: "thief" });
        expect(stolen.json.error.code).toBe("lease_conflict");
        const renewed = await other.ask(`POST /api/threads/${threadId}/renew`, {
          agent: "w",
          leaseSeconds: 1200,
        });
        expect(Math.abs(fromNow(renewed.json.lease.expiresAt) - 20 * minute)).toBeLessThan(minute);

        const long = { channel: "c", sender: "s", content: "long", ttlSeconds: 600 };
        const { json: message } = await mine.ask("POST /api/messages", long);
        expect(Math.abs(fromNow(message.expiresAt) - 10 * minute)).toBeLessThan(minute);
        await other.ask("POST /api/messages", { ...long, channel: "short", content: "short", ttlSeconds: 1 });
        const textsIn = async (hub: ServedAt, channel: string) =>
          (await hub.ask(`GET /api/messages/inbox/${channel}`)).json.messages.map(
            ({ content }: { content: string }) => content,
          );
        for (const hub of [mine, other]) expect(await textsIn(hub, "c")).toContain("long");
        // Its time ends for both.
        for (const hub of [mine, other])
          await until("the expired messages are gone", async () => !(await textsIn(hub, "short")).length);
      }
    },
  );
});
