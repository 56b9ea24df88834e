/** The address of a broker: what the driver is told, and what is ours in it. */
import { InboxError } from "../../contract/errors.ts";
import { withoutPassword } from "../../contract/secret.ts";

export interface BrokerAddress {
  url: string;
  /** All of them, where there are several: nodes of one cluster, tried in turn. */
  hosts?: string[];
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
  // The URL standard knows one host: each stands in for all in turn.
  const [, before, named, after] = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/s.exec(text)!;
  const hosts = named!.split(",");
  const urls = hosts.map((host) => `${before}${host}${after}`);
  if (!urls.every((one) => URL.canParse(one)) || /\s/.test(text)) throw wrong("it is not an address");
  if (!urls.every((one) => new URL(one).hostname)) throw wrong("it has no host");
  if (hosts.length > 1 && named!.includes("["))
    throw wrong("several hosts cannot include an IPv6 address: use names");
  const url = new URL(urls[0]!);
  if (![url.username, url.password, url.pathname].every(isDecodable))
    throw wrong("it has an invalid % escape: write a literal % as %25");
  const queues = url.searchParams.get("queues");
  if (queues !== null && queues !== "quorum" && queues !== "classic")
    throw wrong(`queues=${queues}: the supported values are quorum and classic`);
  url.searchParams.delete("queues");
  return { url: url.href, ...(hosts.length > 1 && { hosts }), quorum: queues === "quorum", shown };
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
