/** What a token looks like, and the only form in which it is kept. */
const prefix = "rst_";

export const newToken = () =>
  prefix + Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");

export const tokenHash = (token: string) => new Bun.CryptoHasher("sha256").update(token).digest("hex");
