/** Operations about the database itself, before or beside the bus: they need no open one. */
import type { OutputOf } from "./contract/operations/index.ts";
import { createDatabase } from "./engines/sqlite/connect.ts";
import { diagnose } from "./engines/sqlite/doctor.ts";
import { migrations } from "./engines/sqlite/schema.ts";
import { type Asked, locate, locateNew } from "./location.ts";

type LocalOperation = "bus.init" | "bus.doctor";

const handlers: { [N in LocalOperation]: (asked: Asked) => OutputOf<N> } = {
  "bus.init": (asked) => {
    const { path, outer } = locateNew(asked);
    const created = createDatabase(path);
    return {
      db: path,
      created,
      schemaVersion: migrations.length,
      ...(created && outer !== undefined && { outer }),
    };
  },
  "bus.doctor": (asked) => diagnose(locate(asked)),
};

export async function runLocal(name: string, asked: Asked): Promise<unknown> {
  return handlers[name as LocalOperation](asked);
}
