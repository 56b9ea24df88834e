/** [U15] Push notifications, to a stand-in for a push service. */
import { expect, test } from "bun:test";
import { base64url, type Chance, encryptedFor } from "../../src/inbox/web-push.ts";
import { hubHere } from "../support/hub.ts";
import { until } from "../support/until.ts";

const curve = { name: "ECDH", namedCurve: "P-256" };
const signing = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const bytesOf = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" });
const ascii = (text: string) => new TextEncoder().encode(text);

/** A device as a browser has it. */
async function device() {
  const pair = await crypto.subtle.generateKey(curve, true, ["deriveBits"]);
  const p256dh = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const auth = crypto.getRandomValues(new Uint8Array(16));
  return { pair, p256dh: base64url(p256dh), auth: base64url(auth) };
}
type Device = Awaited<ReturnType<typeof device>>;
type Bytes = Uint8Array<ArrayBuffer>;

async function hkdf(salt: Bytes, secret: ArrayBuffer, info: Bytes, bits: number): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bits);
}

/** RFC 8291, the other way round. */
async function opened(body: Bytes, { pair, p256dh, auth }: Device) {
  const [salt, sender, sealed] = [body.slice(0, 16), body.slice(21, 86), body.slice(86)];
  const theirs = await crypto.subtle.importKey("raw", sender, curve, false, []);
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: theirs }, pair.privateKey, 256);
  const info = new Uint8Array([...ascii("WebPush: info\0"), ...bytesOf(p256dh), ...sender]);
  const secret = await hkdf(bytesOf(auth), shared, info, 256);
  const key = await hkdf(salt, secret, ascii("Content-Encoding: aes128gcm\0"), 128);
  const iv = await hkdf(salt, secret, ascii("Content-Encoding: nonce\0"), 96);
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const plain = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, aes, sealed));
  expect(plain.at(-1)).toBe(2);
  return JSON.parse(new TextDecoder().decode(plain.slice(0, -1)));
}

test("[U15] a message is encrypted as the example of RFC 8291 is", async () => {
  const [x, y] = [
    "_jP0qw3qcZFNtVgj9ztUlI9BMG2SBzLbuaWaUyhkgiA",
    "Dll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  ];
  const jwk = { kty: "EC", crv: "P-256", x, y };
  const secret = { ...jwk, d: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw" };
  const given: Chance = {
    salt: bytesOf("DGv6ra1nlYgDCS1FRnbzlw"),
    sender: {
      publicKey: await crypto.subtle.importKey("jwk", jwk, curve, true, []),
      privateKey: await crypto.subtle.importKey("jwk", secret, curve, true, ["deriveBits"]),
    },
  };
  const body = await encryptedFor(
    {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    },
    "When I grow up, I want to be a watermelon",
    given,
  );
  expect(base64url(body)).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

/** Who sends, as RFC 8292 has it. */
async function checkSender(header: string, key: string, origin: string): Promise<void> {
  const [, token, shown] = /^vapid t=(\S+), k=(\S+)$/.exec(header)!;
  expect(shown).toBe(key);
  const [head, claims, signature] = token!.split(".");
  const said = JSON.parse(new TextDecoder().decode(bytesOf(claims!)));
  expect(said).toMatchObject({ aud: origin, sub: "mailto:me@example.com" });
  const verifier = await crypto.subtle.importKey("raw", bytesOf(key), signing, false, ["verify"]);
  const text = ascii(`${head}.${claims}`);
  expect(await crypto.subtle.verify(signing, verifier, bytesOf(signature!), text)).toBe(true);
}

test("[U15] what needs the person goes to its devices, encrypted and signed, until the push service says they are gone", async () => {
  const got: { path: string; headers: Headers; body: Bytes }[] = [];
  const gone = new Set<string>();
  const service = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      got.push({ path, headers: request.headers, body: new Uint8Array(await request.arrayBuffer()) });
      return new Response(null, { status: gone.has(path) ? 410 : 201 });
    },
  });
  const inside: string[] = [];
  const elsewhere = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      inside.push(request.url);
      return new Response();
    },
  });
  using _services = {
    [Symbol.dispose]() {
      void service.stop(true);
      void elsewhere.stop(true);
    },
  };
  const { origin } = service.url;
  await using hub = await hubHere({ notify: { contact: "mailto:me@example.com", services: [origin] } });
  const keyOf = async () => (await hub.ask("GET /api/notifications/key")).json.publicKey;
  await until("the hub has a key", async () => (await keyOf()) !== null);
  const [phone, tablet] = [await device(), await device()];
  const subscribe = async ({ p256dh, auth }: Device, endpoint: string) =>
    (await hub.ask("PUT /api/notifications", { endpoint, p256dh, auth })).json;
  const question = (text: string) =>
    hub.ask("POST /api/mailbox/user/ask", { from: "ada", question: text, choices: ["yes"] });
  expect(await subscribe(phone, `${origin}/phone`)).toMatchObject({ already: false });
  expect(await subscribe(phone, `${origin}/phone`)).toMatchObject({ already: true });
  await subscribe(tablet, `${origin}/tablet`);
  // An address is what a caller says: nothing but a push service is spoken to.
  await subscribe(tablet, `${elsewhere.url.origin}/inside`);

  await hub.ask("POST /api/mailbox/user/send", { from: "ada", message: "only news" });
  await question("Deploy?\nIt is late.");
  await until("both devices are told", () => got.length === 2);
  expect(got.map(({ path }) => path).sort()).toEqual(["/phone", "/tablet"]);
  const first = got.find(({ path }) => path === "/phone")!;
  const [{ id }] = (await hub.ask("GET /api/inbox/history?needsYou=true")).json.entries;
  expect(await opened(first.body, phone)).toEqual({ title: "ada", body: "Deploy?", id });
  expect(first.headers.get("content-encoding")).toBe("aes128gcm");
  await checkSender(first.headers.get("authorization")!, await keyOf(), origin);

  gone.add("/phone");
  await question("And now?");
  await until("both were told again", () => got.length === 4);
  await until("the phone is forgotten", async () => {
    const { events } = (await hub.ask("GET /api/events/wait?afterEvent=0&limit=200")).json;
    return events.some(({ eventType }: { eventType: string }) => eventType === "notifications.removed");
  });
  expect((await hub.ask("DELETE /api/notifications", { endpoint: `${origin}/tablet` })).json.already).toBe(
    false,
  );
  gone.clear();
  expect(await subscribe(phone, `${origin}/phone`)).toMatchObject({ already: false });
  await question("Again?");
  await until("the phone is told", () => got.length > 4);
  expect(got.slice(4).map(({ path }) => path)).toEqual(["/phone"]);
  expect(await opened(got[4]!.body, phone)).toMatchObject({ body: "Again?" });
  expect(inside).toEqual([]);
});

test("[U15] without a hub that sends, a device is refused; with a token of its agent it is forgotten", async () => {
  await using hub = await hubHere();
  const { p256dh, auth } = await device();
  const endpoint = "https://fcm.googleapis.com/fcm/send/x";
  const add = (more = {}) => hub.ask("PUT /api/notifications", { endpoint, p256dh, auth, ...more });
  expect((await hub.ask("GET /api/notifications/key")).json).toMatchObject({ publicKey: null });
  expect((await add()).json.error.code).toBe("invalid_state");
  await using _sending = await hubHere({ db: hub.db, notify: { contact: "mailto:me@example.com" } });
  await until(
    "there is a key",
    async () => (await hub.ask("GET /api/notifications/key")).json.publicKey !== null,
  );
  expect((await add()).json).toMatchObject({ already: false });
  const { json } = await hub.ask("POST /api/tokens", { agent: "user", scope: "user" });
  await hub.ask(`POST /api/tokens/${json.id ?? json.tokenId}/revoke`);
  expect((await hub.ask("DELETE /api/notifications", { endpoint })).json.already).toBe(true);
  for (const wrong of [{ endpoint: "ftp://x" }, { p256dh: "short" }, { auth: "short" }])
    expect((await add(wrong)).json.error.code).toBe("invalid_input");
});
