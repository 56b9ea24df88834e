/** Ours in the client's own process, on a file or a server. */
import { createBus } from "../../src/engines/registry.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { type Contender, text } from "./contender.ts";
import { introduce, stocked } from "./stock.ts";
import { channel, everybody, inboxOf, messageTo, threadTo, worker } from "./work.ts";

export async function open(location: string): Promise<Contender> {
  await createBus(location);
  await introduce(location, everybody);
  const inbox = openInbox(location);
  const { taken, stock } = stocked(location, worker, inboxOf);
  /** By client, the thread that it has claimed. */
  const inHand = new Map<number, string>();
  return {
    calls: {
      message: (client) => inbox.call("messages.send", messageTo(inboxOf(client))),
      "to one": () => inbox.call("messages.send", messageTo(channel)),
      thread: (client) => inbox.call("threads.send", threadTo(inboxOf(client))),
      async claim() {
        const { thread } = await inbox.call("threads.claim", { agent: worker });
        if (!thread) throw new Error("there is nothing left to claim");
        taken(worker);
        await inbox.call("threads.done", { agent: worker, thread: thread.threadId, body: text });
      },
      /** Finishes the thread in hand and claims the next one: one call for each. */
      async next(client) {
        const done = inHand.get(client);
        const { thread } = await inbox.call("threads.claim", {
          agent: worker,
          ...(done && { done, body: text }),
        });
        if (!thread) throw new Error("there is nothing left to claim");
        taken(worker);
        inHand.set(client, thread.threadId);
      },
      async receive(client) {
        const { total } = await inbox.call("mailbox.receive", { agent: inboxOf(client), timeoutSeconds: 0 });
        if (!total) throw new Error("there is nothing left to receive");
        taken(inboxOf(client));
      },
    },
    prepare: stock,
  };
}
