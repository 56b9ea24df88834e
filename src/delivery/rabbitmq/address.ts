/** The address of a broker: what the driver is told, and what is ours in it. */
import { InboxError } from "../../contract/errors.ts";
import { withoutPassword } from "../../contract/secret.ts";

export interface BrokerAddress {
  url: string;
  /** Replicated queues, for a cluster (`?queues=quorum`). */
  quorum: boolean;
  /** For people: without the password. */
  shown: string;
}

export function parseBroker(text: string): BrokerAddress {
  const shown = withoutPassword(text);
  const wrong = (why: string) =>
    new InboxError("invalid_input", `the delivery ${shown} cannot be used: ${why}`, {
      hint: "for example INBOX_DELIVERY=amqp://user:password@host:5672, or leave it out: the database delivers by itself",
    });
  if (!/^amqps?:\/\//i.test(text)) throw wrong("it must begin with amqp:// or amqps://");
  if (!URL.canParse(text) || /\s/.test(text)) throw wrong("it is not an address");
  const url = new URL(text);
  if (!url.hostname) throw wrong("it names no host");
  if (![url.username, url.password, url.pathname].every(isDecodable))
    throw wrong("a % in it stands before something that is no code: write %25 for the sign itself");
  const queues = url.searchParams.get("queues");
  if (queues !== null && queues !== "quorum" && queues !== "classic")
    throw wrong(`queues=${queues}: known are quorum and classic`);
  url.searchParams.delete("queues");
  return { url: url.href, quorum: queues === "quorum", shown };
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
