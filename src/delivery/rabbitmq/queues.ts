/** How things are called at the broker, and how they are made. Everything of one bus begins with its id. */
import type { Channel } from "rabbitmq-client";
import { sha256 } from "../../platform/runtime.ts";

const typeOf = (quorum: boolean) => (quorum ? { "x-queue-type": "quorum" as const } : {});

export interface Names {
  /** Where rejected and expired pointers go. */
  dead: string;
  queue(agent: string): string;
  quorum: boolean;
}

/** After this time without a reader an agent's queue is deleted; its mail stays in the database. */
const unusedMs = 7 * 86_400_000;
const deadLimit = 10_000;

export function namesOf(bus: string, quorum: boolean): Names {
  const prefix = `restante.${bus.slice(0, 16)}${quorum ? ".quorum" : ""}`;
  // A name has at most 255 bytes at the broker; ours have 128 characters.
  const short = (agent: string) => (Buffer.byteLength(agent) <= 180 ? agent : `#${sha256(agent)}`);
  return { dead: `${prefix}.dead`, queue: (agent) => `${prefix}.inbox.${short(agent)}`, quorum };
}

export async function declareDead(channel: Channel, { dead, quorum }: Names): Promise<void> {
  await channel.exchangeDeclare({ exchange: dead, type: "fanout", durable: true });
  const kept = { "x-max-length": deadLimit, ...typeOf(quorum) };
  await channel.queueDeclare({ queue: dead, durable: true, arguments: kept });
  await channel.queueBind({ exchange: dead, queue: dead });
}

export async function declareQueue(channel: Channel, names: Names, agent: string): Promise<string> {
  const queue = names.queue(agent);
  const args = {
    "x-dead-letter-exchange": names.dead,
    "x-expires": unusedMs,
    ...typeOf(names.quorum),
  };
  await channel.queueDeclare({ queue, durable: true, arguments: args });
  return queue;
}
