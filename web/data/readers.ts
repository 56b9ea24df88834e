/** Whether somebody will read what is written to an agent. */
import { type Agent, agents } from "./agents.ts";
import { type Task, taskNamed } from "./tasks.ts";

export type Reader =
  | { state: "running"; task: Task }
  | { state: "ended"; task?: Task }
  | { state: "active" | "away"; agent: Agent }
  | { state: "unknown" };

export function readerOf(name: string): Reader {
  const task = taskNamed(name);
  if (task?.status === "running") return { state: "running", task };
  const agent = agents.value.value?.find((one) => one.name === name);
  if (agent?.ended || (task?.status === "finished" && !agent)) return { state: "ended", task };
  if (!agent) return { state: "unknown" };
  return { state: agent.live ? "active" : "away", agent };
}
