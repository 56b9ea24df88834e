/**
 * [U15] A hub with `--notify` sends push notifications: one for each entry that needs the person, to each device.
 * Only push services of browsers are called: callers supply the addresses, and the hub must not be made to call any
 * other.
 */
import {
  findKey,
  keepKey,
  needingAfter,
  newestEntry,
  type SubscriptionRow,
  subscriptions,
} from "../bus/notification.ts";
import { notificationsRemove } from "../bus/procedures/notifications-remove.ts";
import type { Notice } from "../contract/notification.ts";
import type { Engine } from "../engines/engine.ts";
import { entriesTopic } from "../sql/topics.ts";
import { failureTeller, pause, type Upkeep } from "./upkeep.ts";
import { authorization, encryptedFor, makeServerKeys, type ServerKeys } from "./web-push.ts";

export interface NotifyOptions {
  /** The contact that a push service can write to: `mailto:` or `https:`. */
  contact: string;
  /** Further push services, by origin. */
  services?: readonly string[];
}

const browsersServices = [
  /^fcm\.googleapis\.com$/,
  /^updates\.push\.services\.mozilla\.com$/,
  /\.push\.apple\.com$/,
  /\.notify\.windows\.com$/,
];

function isService(endpoint: string, more: readonly string[] = []): boolean {
  const { protocol, hostname, origin, port } = new URL(endpoint);
  if (more.includes(origin)) return true;
  return protocol === "https:" && port === "" && browsersServices.some((name) => name.test(hostname));
}

const awayMs = 1000;
const answerMs = 10_000;
/** A notification is of no use a day later. */
const keptSeconds = 24 * 3600;
const attempts = 3;

interface Sender {
  engine: Engine;
  keys: ServerKeys;
  options: NotifyOptions;
  signal: AbortSignal;
}

export async function tendNotifications(upkeep: Upkeep, options: NotifyOptions): Promise<void> {
  const { engine, signal } = upkeep;
  const tell = failureTeller("sending notifications", upkeep);
  const subscription = engine.subscribe([entriesTopic]);
  let keys: ServerKeys | undefined;
  let last: number | undefined;
  try {
    while (!signal.aborted) {
      try {
        last ??= await engine.read(newestEntry);
        keys ??= await keysOf(engine);
        const found = await engine.read(() => needingAfter(last!));
        for (const { number, notice } of found) {
          await tellAll({ engine, keys, options, signal }, notice);
          last = number;
        }
        if (!found.length) await subscription.next({ signal });
        tell.worked();
      } catch (error) {
        tell.failed(error);
        await pause(awayMs, signal);
      }
    }
  } finally {
    subscription.close();
  }
}

async function keysOf(engine: Engine): Promise<ServerKeys> {
  const row = (await engine.read(findKey)) ?? (await freshKey(engine));
  return { publicKey: row.public_key, privateKey: row.private_key };
}

async function freshKey(engine: Engine) {
  const { publicKey, privateKey } = await makeServerKeys();
  return engine.write((tx) => keepKey(tx, { public_key: publicKey, private_key: privateKey }));
}

async function tellAll(sender: Sender, notice: Notice): Promise<void> {
  const { engine, options } = sender;
  const all = await engine.read(subscriptions);
  const devices = all.filter(({ endpoint }) => isService(endpoint, options.services));
  await Promise.all(
    devices.map(async (device) => {
      const gone = await tell(sender, device, notice).catch(() => false);
      const { endpoint, agent_id: agent } = device;
      if (gone) await engine.write((tx) => notificationsRemove(tx, { endpoint, agent }));
    }),
  );
}

/** Whether the push service says that there is no such device any more. */
async function tell(
  { keys, options, signal }: Sender,
  device: SubscriptionRow,
  notice: Notice,
): Promise<boolean> {
  const { endpoint } = device;
  for (let attempt = 1; ; attempt++) {
    const { status } = await fetch(endpoint, {
      method: "POST",
      headers: {
        authorization: await authorization(endpoint, keys, options.contact),
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        ttl: String(keptSeconds),
        urgency: "high",
      },
      body: await encryptedFor(device, JSON.stringify(notice)),
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    if (status === 404 || status === 410) return true;
    if ((status !== 429 && status < 500) || attempt === attempts) return false;
    await pause(awayMs * attempt, signal);
  }
}
