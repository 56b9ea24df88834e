/** [U15] This device among those that push notifications go to, where the hub sends them and the browser can. */
import { api } from "./api.ts";

const registration = async () =>
  "serviceWorker" in navigator && "PushManager" in window
    ? navigator.serviceWorker.getRegistration()
    : undefined;

/** Also when it is known already: the hub may have forgotten it. */
export async function subscribe(): Promise<boolean> {
  const worker = await registration();
  if (!worker) return false;
  const { publicKey } = await api.notifications.key({});
  if (publicKey === null) return false;
  const found = await worker.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  const { endpoint, keys } = found.toJSON();
  if (!endpoint || !keys?.p256dh || !keys.auth) return false;
  await api.notifications.add({ endpoint, p256dh: keys.p256dh, auth: keys.auth });
  return true;
}

export async function unsubscribe(): Promise<void> {
  const found = await (await registration())?.pushManager.getSubscription();
  if (!found) return;
  await api.notifications.remove({ endpoint: found.endpoint }).catch(() => {}); // the push service tells the hub
  await found.unsubscribe();
}
