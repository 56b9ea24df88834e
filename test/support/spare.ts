/** Connections to Postgres that go from one test of a file to the next: the server needs longer to make one than for most tests. */
import { afterAll } from "bun:test";
import type { Spare, Spared } from "../../src/engines/engine.ts";

const left = new Map<string, Spared[]>();

export const spareConnections: Spare = {
  take: (place) => left.get(place)?.pop(),
  leave(place, connection) {
    left.set(place, [...(left.get(place) ?? []), connection]);
  },
};

afterAll(async () => {
  await Promise.all([...left.values()].flat().map((connection) => connection.close()));
});
