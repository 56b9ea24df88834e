/** [Y6] [Y7] A bus from elsewhere contains tokens, which its creator may know. */
import { openEngine } from "../engines/registry.ts";
import { one } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";

export async function warnOfTokens(location: string): Promise<string[]> {
  const engine = openEngine(location);
  try {
    const valid = await engine.read(() =>
      one<{ count: number }>(sql`select count(*) as count from tokens where revoked_at is null`),
    );
    if (!valid?.count) return [];
    return [
      `${valid.count} of its tokens are valid: whoever has one may call a hub that serves this bus; list them, and revoke those you do not know`,
    ];
  } finally {
    await engine.close();
  }
}
