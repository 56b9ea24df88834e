/** [U15] Which tasks start after which, drawn: what comes first is on the left. */
import type { Task } from "../data/tasks.ts";
import { statusOf } from "../data/tasks.ts";
import { go, pathOf } from "../router.ts";
import { toneOf } from "../ui/status.tsx";

const box = { width: 132, height: 30, right: 44, below: 12 };
/** More would be no picture. */
const limit = 60;

interface Placed {
  task: Task;
  x: number;
  y: number;
}

/** Those that a task hangs together with, directly or over others; itself included. */
export function relatedTo(name: string, tasks: readonly Task[]): Task[] {
  const found = new Set([name]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const task of tasks)
      if (found.has(task.name) || task.after.some((one) => found.has(one)))
        for (const one of [task.name, ...task.after]) found.add(one);
  }
  // A name may have been used before: its newest task counts.
  const newest = new Map(tasks.map((task) => [task.name, task]));
  return [...newest.values()].filter((task) => found.has(task.name));
}

function placed(tasks: readonly Task[]): Map<string, Placed> {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const depths = new Map<string, number>();
  const depthOf = (task: Task): number => {
    const known = depths.get(task.name);
    if (known !== undefined) return known;
    depths.set(task.name, 0); // a circle cannot be pushed; one that is there all the same must not hang the page
    const before = task.after.flatMap((name) => byName.get(name) ?? []);
    const depth = before.length ? 1 + Math.max(...before.map(depthOf)) : 0;
    depths.set(task.name, depth);
    return depth;
  };
  const columns: number[] = [];
  const places = new Map<string, Placed>();
  for (const task of tasks) {
    const depth = depthOf(task);
    const row = columns[depth] ?? 0;
    columns[depth] = row + 1;
    places.set(task.name, {
      task,
      x: depth * (box.width + box.right) + 1,
      y: row * (box.height + box.below) + 1,
    });
  }
  return places;
}

export function Dependencies({ name, tasks }: { name: string; tasks: readonly Task[] }) {
  const related = relatedTo(name, tasks);
  if (related.length < 2) return null;
  const places = placed(related.slice(0, limit));
  const all = [...places.values()];
  const width = Math.max(...all.map(({ x }) => x)) + box.width + 2;
  const height = Math.max(...all.map(({ y }) => y)) + box.height + 2;
  return (
    <section class="dependencies" aria-label="Dependencies">
      <h2>
        What comes after what
        {related.length > limit && ` (${limit} of ${related.length} tasks)`}
      </h2>
      <svg width={width} height={height} role="group" aria-label="Tasks and the tasks they wait for">
        <defs>
          <marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto">
            <path d="M0 0 6 3 0 6Z" />
          </marker>
        </defs>
        {all.flatMap((to) =>
          to.task.after.flatMap((before) => {
            const from = places.get(before);
            return from ? [<Arrow key={`${before} ${to.task.name}`} from={from} to={to} />] : [];
          }),
        )}
        {all.map((one) => (
          <Box key={one.task.name} {...one} open={one.task.name === name} />
        ))}
      </svg>
    </section>
  );
}

function Arrow({ from, to }: { from: Placed; to: Placed }) {
  const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
  const [x2, y2] = [to.x - 1, to.y + box.height / 2];
  const half = (x1 + x2) / 2;
  return <path d={`M${x1} ${y1}C${half} ${y1} ${half} ${y2} ${x2} ${y2}`} marker-end="url(#tip)" />;
}

const shortened = (text: string) => (text.length > 17 ? `${text.slice(0, 16)}…` : text);

function Box({ task, x, y, open }: Placed & { open: boolean }) {
  const state = statusOf(task);
  const to = { tab: "queue", id: task.name } as const;
  const after = task.after.length ? `, after ${task.after.join(" and ")}` : "";
  return (
    <a
      href={pathOf(to)}
      data-tone={toneOf(state)}
      data-open={open}
      aria-label={`${task.name}, ${state}${after}`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      <title>{`${task.name}: ${state}`}</title>
      <rect x={x} y={y} width={box.width} height={box.height} rx="7" />
      <text x={x + 10} y={y + 19.5}>
        {shortened(task.name)}
      </text>
    </a>
  );
}
