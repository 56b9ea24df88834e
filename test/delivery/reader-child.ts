/**
 * A process of its own at a carried bus: `bun reader-child.ts DB BROKER collect|choosy|write AGENT`. It collects mail and
 * prints the number of each; or waits for somebody who never writes, with others' pointers in its hand; or writes one
 * message a line of its input and prints its number. It ends when it is killed.
 */
import { writeSync } from "node:fs";
import { openInbox } from "../../src/inbox/inbox.ts";

const [location, delivery, what, agent] = process.argv.slice(2) as [string, string, string, string];
const inbox = openInbox(location, { delivery });
/** At once and in one write: what was printed was collected, or written. */
const say = (id: number | string) => void writeSync(1, `${id}\n`);

if (what === "choosy") await inbox.call("mailbox.receive", { agent, from: "nobody" });
else if (what === "collect")
  for (;;) {
    const { messages } = await inbox.call("mailbox.receive", { agent, max: 3 });
    for (const { id } of messages) say(id);
  }
else
  for await (const message of console) {
    const sent = await inbox.call("mailbox.send", { from: "child", to: agent, message });
    say(sent.message.messageId.slice("msg_".length));
  }
