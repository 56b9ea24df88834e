/**
 * [U15] Web Push as its standards have it: a message encrypted for one device (RFC 8291, RFC 8188), and who sends it, signed for
 * one push service (RFC 8292). A push service sees neither what it carries nor for whom.
 */
const curve = { name: "ECDH", namedCurve: "P-256" };
const signing = { name: "ECDSA", namedCurve: "P-256" };
const recordSize = 4096;
const utf8 = new TextEncoder();

export const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
const fromBase64url = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" });

export interface ServerKeys {
  publicKey: string;
  /** As JSON Web Key. */
  privateKey: string;
}

export async function makeServerKeys(): Promise<ServerKeys> {
  const pair = await crypto.subtle.generateKey(signing, true, ["sign", "verify"]);
  return {
    publicKey: base64url(await rawOf(pair.publicKey)),
    privateKey: JSON.stringify(await crypto.subtle.exportKey("jwk", pair.privateKey)),
  };
}

const rawOf = async (key: CryptoKey) => new Uint8Array(await crypto.subtle.exportKey("raw", key));

/** Random values that make two messages different; tests pass those of the standard's example. */
export interface Chance {
  salt: Uint8Array<ArrayBuffer>;
  sender: { publicKey: CryptoKey; privateKey: CryptoKey };
}

async function chance(): Promise<Chance> {
  return {
    salt: crypto.getRandomValues(new Uint8Array(16)),
    sender: await crypto.subtle.generateKey(curve, true, ["deriveBits"]),
  };
}

async function derived(
  salt: Uint8Array<ArrayBuffer>,
  secret: Uint8Array<ArrayBuffer>,
  info: Uint8Array<ArrayBuffer>,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8),
  );
}

function together(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The body of a request to a push service, in one record. */
export async function encryptedFor(
  device: { p256dh: string; auth: string },
  text: string,
  given?: Chance,
): Promise<Uint8Array<ArrayBuffer>> {
  const { salt, sender } = given ?? (await chance());
  const theirs = fromBase64url(device.p256dh);
  const ours = await rawOf(sender.publicKey);
  const publicKey = await crypto.subtle.importKey("raw", theirs, curve, false, []);
  const shared = new Uint8Array(
    await crypto.subtle.deriveBits({ name: "ECDH", public: publicKey }, sender.privateKey, 256),
  );
  const info = together(utf8.encode("WebPush: info\0"), theirs, ours);
  const secret = await derived(fromBase64url(device.auth), shared, info, 32);
  const key = await derived(salt, secret, utf8.encode("Content-Encoding: aes128gcm\0"), 16);
  const nonce = await derived(salt, secret, utf8.encode("Content-Encoding: nonce\0"), 12);
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  // The 2 marks the last record.
  const plain = together(utf8.encode(text), new Uint8Array([2]));
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, aes, plain));
  const header = new Uint8Array(5);
  new DataView(header.buffer).setUint32(0, recordSize);
  header[4] = ours.length;
  return together(salt, header, ours, sealed);
}

const validSeconds = 12 * 3600;

/** The header that tells a push service who sends. */
export async function authorization(
  endpoint: string,
  { publicKey, privateKey }: ServerKeys,
  contact: string,
): Promise<string> {
  const part = (value: object) => base64url(utf8.encode(JSON.stringify(value)));
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(Date.now() / 1000) + validSeconds,
    sub: contact,
  };
  const text = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
  const key = await crypto.subtle.importKey("jwk", JSON.parse(privateKey), signing, false, ["sign"]);
  const signed = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, utf8.encode(text));
  return `vapid t=${text}.${base64url(new Uint8Array(signed))}, k=${publicKey}`;
}
