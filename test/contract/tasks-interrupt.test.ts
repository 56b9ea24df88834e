/** [A13] Interrupting a task, as far as the bus is concerned: what its keeper sees and takes, and who may. */
import { describe, expect, test } from "bun:test";
import { takeInterrupts } from "../../src/bus/tasks/interrupt.ts";
import { keepersToTell, keepTask, lookAtTask } from "../../src/bus/tasks/keep.ts";
import { byHand } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

describe.each(engines)("$name", (engine) => {
  test("[A13] its keeper is told, and takes the message out of the inbox, once", async () => {
    await using bench = await byHand(engine);
    const { inbox, engine: bus } = bench;
    const { number, token } = await bench.started("t");
    await bus.write((tx) => keepTask(tx, number, token, { keeper: "1:2:3" }));
    const send = (message: string, interrupt: boolean) =>
      inbox.call("mailbox.send", { from: "main", to: "t", message, interrupt });
    await send("usual", false);
    expect(await bus.read((tx) => keepersToTell(tx, "here"))).toEqual([]);
    const { message } = await send("stop", true);
    expect(message).toMatchObject({ kind: "control", payload: { interrupt: true } });
    const again = { agent: "main", name: "t", message: "really", interrupt: true };
    expect((await inbox.call("tasks.send", again)).delivered).toBe("turn");
    expect(await bus.read((tx) => keepersToTell(tx, "here"))).toEqual(["1:2:3"]);
    expect((await bus.read((tx) => lookAtTask(tx, number, token)))?.row.interrupt_id).toBeGreaterThan(0);
    expect(await bus.write((tx) => takeInterrupts(tx, number, "another"))).toBeUndefined();
    const told = await bus.write((tx) => takeInterrupts(tx, number, token));
    expect(told).toStartWith(
      '"main" has interrupted you:\n\nstop\n\n"main" has interrupted you:\n\nreally\n\n',
    );
    expect(await bus.write((tx) => takeInterrupts(tx, number, token))).toBeUndefined();
    expect(await bus.read((tx) => keepersToTell(tx, "here"))).toEqual([]);
    const left = await inbox.call("mailbox.list", { agent: "t" });
    expect(left.messages.map((each) => each.message)).toEqual(["usual"]);
  });

  test("[A13] what the sub-agent has collected itself interrupts nothing any more", async () => {
    await using bench = await byHand(engine);
    const { number, token } = await bench.started("t");
    await bench.inbox.call("mailbox.send", { from: "main", to: "t", message: "stop", interrupt: true });
    await bench.inbox.call("mailbox.receive", { agent: "t" });
    expect(await bench.engine.write((tx) => takeInterrupts(tx, number, token))).toBeUndefined();
    await bench.end("t");
    const { code, message } = await refusal(
      bench.inbox.call("mailbox.send", { from: "main", to: "t", message: "stop", interrupt: true }),
    );
    expect([code, message]).toEqual(["invalid_state", '"t" cannot be interrupted: it has finished']);
  });
});
