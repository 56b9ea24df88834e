/** Ours over HTTP: `open(database, url …)`, the clients spread over all the hubs. An echo has no database: `open("", url)`. */
import { bytesOf } from "../../test/support/socket.ts";
import { type Line, openLine } from "../support/line.ts";
import { type Contender, text } from "./contender.ts";
import { introduce, stocked } from "./stock.ts";
import { everybody, inboxOf, messageTo, threadTo, worker } from "./work.ts";

export async function open(location: string, ...urls: string[]): Promise<Contender> {
  if (location) await introduce(location, everybody);
  let lines: Line[] = [];
  const ask = (client: number, route: string, body: unknown) => lines[client]!.ask(bytesOf(route, body));
  const { taken, stock } = stocked(location, worker, inboxOf);
  const inHand = new Map<number, string>();
  return {
    calls: {
      message: (client) => ask(client, "POST /api/messages", messageTo(inboxOf(client))),
      thread: (client) => ask(client, "POST /api/threads", threadTo(inboxOf(client))),
      async claim(client) {
        const answer = await ask(client, "POST /api/threads/claim", { agent: worker });
        const thread = /"threadId":"(thr_\d+)"/.exec(answer)?.[1];
        if (!thread) throw new Error("there is nothing left to claim");
        taken(worker);
        await ask(client, `POST /api/threads/${thread}/done`, { agent: worker, body: text });
      },
      async next(client) {
        const done = inHand.get(client);
        const asked = { agent: worker, ...(done && { done, body: text }) };
        const thread = /"thread":\{"threadId":"(thr_\d+)"/.exec(
          (await ask(client, "POST /api/threads/claim", asked)).split('"ended":', 1)[0]!,
        )?.[1];
        if (!thread) throw new Error("there is nothing left to claim");
        taken(worker);
        inHand.set(client, thread);
      },
      async receive(client) {
        const answer = await ask(client, `POST /api/mailbox/${inboxOf(client)}/receive`, {});
        if (!answer.includes('"total":1')) throw new Error("there is nothing left to receive");
        taken(inboxOf(client));
      },
    },
    async prepare(work, clients, count) {
      if (location) await stock(work, clients, count);
      // Anew each time: a hub hangs up on who says nothing for half a minute.
      for (const line of lines) line.close();
      lines = await Promise.all(
        Array.from({ length: clients }, (_, client) => openLine(urls[client % urls.length]!)),
      );
    },
  };
}
