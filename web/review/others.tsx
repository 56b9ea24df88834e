/** [A2] A name may have been used before: whose branches of that name are neither merged nor discarded. */
import { signal } from "@preact/signals";
import type { KeptBranch } from "../../src/contract/worktree.ts";
import { type Task, taskNamed } from "../data/tasks.ts";
import { PlaceLink } from "../ui/place-link.tsx";

/** As the hub last answered, by the task that was asked about. */
const others = signal<ReadonlyMap<string, readonly KeptBranch[]>>(new Map());

export function keepOthers({ id }: Pick<Task, "id">, kept: readonly KeptBranch[]): void {
  others.value = new Map(others.peek()).set(id, kept);
}

/** Where the queue knows better, it was decided since. */
const isKept = ({ id }: KeptBranch) => (taskNamed(id)?.worktree?.state ?? "kept") === "kept";

export function Others({ task }: { task: Task }) {
  const kept = (others.value.get(task.id) ?? []).filter(isKept);
  if (!kept.length) return null;
  return (
    <p class="others" role="status">
      {kept.length === 1 ? "Another task" : `${kept.length} other tasks`} named {task.name}{" "}
      {kept.length === 1 ? "has" : "have"} changes that are not decided:{" "}
      {kept.map(({ id, branch }, n) => (
        <span key={id}>
          {n > 0 && ", "}
          <PlaceLink class="link" to={{ tab: "agents", id }}>
            {branch}
          </PlaceLink>
        </span>
      ))}
    </p>
  );
}
