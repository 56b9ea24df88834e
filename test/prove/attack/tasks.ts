/** An agent that pushes tasks, some of which push others, and collects what they report. */
import type { Fields } from "../check/history.ts";
import { type Actor, pause, pick, told } from "./roles.ts";

/** After the last push: a supervisor that was killed is replaced once its lease of 15 s has lapsed. */
const patienceMs = 75_000;

/** What a sub-agent does; the last ones start another one and wait for it. */
const prompts = (name: string) => [
  `echo leaf ${name}`,
  `sleep 0.5; echo slow leaf ${name}`,
  "exit 3",
  `echo branch of $(orch handoff --name ${name}-leaf sh 'echo leaf' --json | wc -l)`,
];

export async function parent(actor: Actor): Promise<void> {
  const agent = actor.name;
  const open = new Set<string>();
  let pushed = 0;
  while (!actor.stopped()) {
    const names = Array.from(
      { length: 1 + Math.floor(actor.random() * 2) },
      () => `task-${agent}-${++pushed}`,
    );
    const queued: string[] = [];
    for (const name of names) {
      const input = { agent, name, prompt: pick(actor, prompts(name)), timeout: 20 };
      if ((await told(actor, "tasks.push", input)).outcome === "ok") queued.push(name);
    }
    if ((await told(actor, "tasks.run", { agent })).outcome === "ok")
      for (const name of queued) open.add(name);
    await collect(actor, open);
    await pause(actor, 2000);
  }
  const deadline = performance.now() + patienceMs;
  while (open.size && performance.now() < deadline) await collect(actor, open);
}

async function collect(actor: Actor, open: Set<string>): Promise<void> {
  const input: Fields = { agent: actor.name, max: 10, timeoutSeconds: 1 };
  const { value } = await told(actor, "mailbox.receive", input);
  for (const { senderId } of value?.messages ?? []) open.delete(senderId);
}
