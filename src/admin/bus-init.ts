/** [S2] `inbox init`: a new bus, or nothing where there is one already. */

import type { OutputOf } from "../contract/operations/index.ts";
import { withoutPassword } from "../contract/secret.ts";
import { engineAt } from "../engines/registry.ts";
import { type Asked, locateNew } from "../location/locate.ts";
import { isBusTrusted } from "../location/trust.ts";
import { createOwnBus } from "./create-bus.ts";
import { requireDatabase } from "./require-database.ts";
import { trackedFiles } from "./tracked-files.ts";

export async function busInit(asked: Asked): Promise<OutputOf<"bus.init">> {
  const { path, outer } = locateNew(asked);
  requireDatabase("init", path, "the hub creates its database by itself");
  const warnings: string[] = [];
  const { created, gitignore } = await createOwnBus(path, (message) => warnings.push(message));
  const tracked = trackedFiles(path);
  if (tracked) warnings.push(`${tracked.detail}; ${tracked.fix}`);
  return {
    db: withoutPassword(path),
    created,
    schemaVersion: engineAt(path).schemaVersion(),
    ...(gitignore !== undefined && { gitignore }),
    ...(created && outer !== undefined && { outer }),
    trusted: isBusTrusted(path, asked.env),
    ...(warnings.length > 0 && { warnings }),
  };
}
