/** [G3] Pointers that lie in a process until somebody takes them. */
import { expect, test } from "bun:test";
import { HeldPointers } from "../../src/delivery/held.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { until } from "../support/until.ts";

test("[G3] pointers that nobody takes are looked up in the database, and none after the end", async () => {
  let asked = 0;
  const read = async () => {
    asked++;
    return [];
  };
  const held = new HeldPointers({ read } as unknown as Engine);
  const arrival = (id: number) => ({ id, done: () => {}, back: () => {} });
  held.add(arrival(1));
  await until("the database is asked", () => asked === 1);
  held.stop();
  held.add(arrival(2));
  await Bun.sleep(200); // four times as long as it takes before
  expect(asked).toBe(1);
});
