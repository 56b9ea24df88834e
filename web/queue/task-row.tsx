/** A task in the list; one that has not started can be dragged to another place in the queue. */
import { signal } from "@preact/signals";
import { addressOf, gistOf, statusOf, type Task } from "../data/tasks.ts";
import type { Wait } from "../data/waits.ts";
import { Face } from "../ui/face.tsx";
import { Row } from "../ui/row.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age } from "../ui/time.tsx";
import { Waits } from "../ui/waits.tsx";

type Side = "before" | "after";

/** What is dragged, and where it would be put. */
const dragged = signal<string | undefined>(undefined);
const target = signal<{ name: string; side: Side } | undefined>(undefined);

interface Props {
  task: Task;
  open: boolean;
  /** What it has asked somebody. */
  wait: Wait | undefined;
  movable: boolean;
  onDrop(name: string, side: Side, target: string): void;
}

const sideOf = (event: DragEvent): Side => {
  const { top, height } = (event.currentTarget as Element).getBoundingClientRect();
  return event.clientY < top + height / 2 ? "before" : "after";
};

const stop = () => {
  dragged.value = undefined;
  target.value = undefined;
};

export function TaskRow({ task, open, wait, movable, onDrop }: Props) {
  const { name } = task;
  const drop = target.value?.name === name ? target.value.side : undefined;
  const dragging = {
    draggable: true,
    onDragStart(event: DragEvent) {
      dragged.value = name;
      event.dataTransfer?.setData("text/plain", name);
    },
    onDragOver(event: DragEvent) {
      if (dragged.peek() === undefined || dragged.peek() === name) return;
      event.preventDefault();
      target.value = { name, side: sideOf(event) };
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      const from = dragged.peek();
      if (from !== undefined && from !== name) onDrop(from, sideOf(event), name);
      stop();
    },
    onDragEnd: stop,
  };
  return (
    <div class="task-place" data-drop={drop} {...(movable && dragging)}>
      <Row
        to={{ tab: "queue", id: addressOf(task) }}
        open={open}
        lead={<Face name={name} />}
        title={name}
        more={
          <>
            {wait ? <Waits wait={wait} /> : <span>{gistOf(task)}</span>}
            {task.after.length > 0 && task.status !== "finished" && (
              <span class="tag" title={`Starts after ${task.after.join(", ")}`}>
                after {task.after.length === 1 ? task.after[0] : task.after.length}
              </span>
            )}
          </>
        }
        side={
          task.status === "finished" || task.status === "waiting" ? (
            <StatusTag status={statusOf(task)} />
          ) : (
            <Age at={task.startedAt ?? task.createdAt} />
          )
        }
      />
    </div>
  );
}
