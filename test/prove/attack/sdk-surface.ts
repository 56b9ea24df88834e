/** The SDK: the bus opened in this process, or at hubs, where every request may go to another one. */
import { InboxError } from "../../../src/contract/errors.ts";
import { Inbox } from "../../../src/sdk/sdk.ts";
import type { Fields } from "../check/history.ts";
import { brokenOf, refusalOf } from "./refusals.ts";
import type { Client, ClientOptions, Told } from "./surfaces.ts";

type Method = (input: Fields, options: { idempotencyKey?: string }) => Promise<unknown>;

export function sdkSurface({ place, random }: ClientOptions, atHub: boolean): Client {
  // A confirmation may go to another hub than the answer came from.
  const anywhere = (url: string, init: RequestInit) => {
    const hub = place.hubs[Math.floor(random() * place.hubs.length)]!;
    return fetch(hub + url.slice(place.hubs[0]!.length), init);
  };
  const opening = atHub
    ? Inbox.open(place.hubs[0]!, { fetch: anywhere })
    : Inbox.open(place.db, { delivery: place.delivery });
  return {
    full: true,
    async call(op, input, key) {
      const inbox = await opening;
      try {
        return { outcome: "ok", value: await called(inbox, op, input, { idempotencyKey: key }) };
      } catch (error) {
        return error instanceof InboxError ? refusalOf(error) : brokenOf(error);
      }
    },
    close: async () => (await opening).close(),
  };
}

/** `messages` takes its channel or id first, and answers with the thing itself. */
async function called(
  inbox: Inbox,
  op: string,
  input: Fields,
  options: { idempotencyKey?: string },
): Promise<NonNullable<Told["value"]>> {
  const { channel, id, agent, ...rest } = input;
  if (op === "messages.inbox") return { messages: await inbox.messages.inbox(channel, rest, options) };
  if (op === "messages.ack") {
    const { already, ...message } = await inbox.messages.ack(id, options);
    return { message, already };
  }
  const [space, method] = op.split(".") as [string, string];
  const methods = (inbox as unknown as Record<string, Record<string, Method>>)[space]!;
  return (await methods[method]!(input, options)) as Fields;
}
