/** [Q15] What a sub-agent may do without asking: asked for, inherited, and never more than its parent has. */
import { describe, expect, test } from "bun:test";
import { byHand } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const agent = "main";

describe.each(engines)("$name", (engine) => {
  test("[Q15] a task may edit unless something else is asked for, and one below it may do what its parent may", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const has = async (name: string) => (await inbox.call("tasks.show", { name })).task.permission;
    await bench.started("usual");
    expect(await has("usual")).toBe("edit");
    for (const permission of ["allow", "edit", "reject"] as const) {
      await bench.started(permission, { permission });
      await bench.push(`below-${permission}`, { agent: permission });
      expect([await has(permission), await has(`below-${permission}`)]).toEqual([permission, permission]);
    }
    await bench.push("less", { agent: "allow", permission: "reject" });
    expect(await has("less")).toBe("reject");
    await bench.push("given", { worker: "somebody", profile: undefined });
    expect(await has("given")).toBeNull();
  });

  test("[Q15] nobody can give more than it has, and a permission without an effect is refused", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub", { permission: "reject" });
    const more = await refusal(bench.push("more", { agent: "sub", permission: "edit" }));
    expect([more.code, more.message]).toEqual([
      "not_allowed",
      '"sub" has permission=reject and cannot grant edit',
    ]);
    const worker = await refusal(
      inbox.call("tasks.push", { agent, prompt: "x", worker: "w", permission: "allow" }),
    );
    expect([worker.code, worker.message]).toEqual([
      "invalid_input",
      'permission=allow has no effect: "w" is already running with its own permission',
    ]);
  });

  test("[Q15] [Q5] a result says which tools were refused, and a failure has its reason", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    await bench.started("other");
    await bench.push("later", { after: ["other"] });
    await bench.end("sub", { final: "as far as I could", refused: ["Bash", "Write"] });
    await bench.end("other", { success: false, error: "it exited with status 3", reason: "exit" });
    const { messages } = await inbox.call("mailbox.list", { agent });
    const told = messages.map(({ senderId, metadata }) => {
      const { reason, refused } = metadata as { reason?: string; refused?: string[] };
      return [senderId, reason, refused];
    });
    expect(told).toEqual([
      ["sub", undefined, ["Bash", "Write"]],
      ["other", "exit", undefined],
      ["later", "skipped", undefined],
    ]);
    expect(messages[0]!.message).toBe(
      "as far as I could\n\n(It asked to use Bash, Write and was refused. It had permission=edit; permission=allow lets it do everything.)",
    );
    expect((await inbox.call("tasks.show", { name: "later" })).task.reason).toBe("skipped");
  });
});
