/** [N2] A hub that requires tokens is useless without one: if a bus has none, the person gets one. */
import { tokensCreate } from "../bus/procedures/tokens-create.ts";
import { hasTokens } from "../bus/token.ts";
import { person } from "../contract/entry.ts";
import { openEngine } from "../engines/registry.ts";
import { newToken, tokenHash } from "../platform/token-text.ts";

/** Null if there are tokens already. */
export async function firstToken(location: string): Promise<string | null> {
  const engine = openEngine(location);
  try {
    if (await engine.read(() => hasTokens())) return null;
    const token = newToken();
    await engine.write((tx) => tokensCreate(tx, { agent: person, scope: "admin", hash: tokenHash(token) }));
    return token;
  } finally {
    await engine.close();
  }
}
