/** What a token looks like, and the only form in which it is kept. */
import { sha256 } from "./runtime.ts";

const prefix = "rst_";

export const newToken = () =>
  prefix + Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");

export const tokenHash = (token: string) => sha256(token);
