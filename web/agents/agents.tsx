/** Agents: who is running, who was seen lately, and each one's transcript or mailbox. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Agent, agents } from "../data/agents.ts";
import { useLastLines } from "../data/last-lines.ts";
import { useLoaded, useStore } from "../data/store.ts";
import { addressOf, asListed, gistOf, queue, statusOf, type Task, taskNamed, tasks } from "../data/tasks.ts";
import { useWaits, type Wait } from "../data/waits.ts";
import { place } from "../router.ts";
import { Empty } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { grouped } from "../ui/groups.ts";
import { useListKeys } from "../ui/list-keys.ts";
import { ListTab } from "../ui/list-tab.tsx";
import { Row } from "../ui/row.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age, Elapsed } from "../ui/time.tsx";
import { Waits } from "../ui/waits.tsx";
import { AgentDetail } from "./agent-detail.tsx";
import { CostsButton } from "./costs.tsx";
import { useOpenTabs } from "./open-tabs.ts";
import { SubAgent } from "./sub-agent.tsx";
import { TabStrip } from "./tab-strip.tsx";

type Item = ({ agent: Agent } | { task: Task }) & { depth?: number };
const nameOf = (item: Item) => ("task" in item ? item.task.name : item.agent.name);
const addressIn = (item: Item) => ("task" in item ? addressOf(item.task) : item.agent.name);

function rowsOf(list: readonly Agent[], running: readonly Task[], finished: readonly Task[]) {
  const names = new Set([...running, ...finished].map(({ name }) => name));
  const working = treeOf(list, running);
  const parents = new Set(working.map(nameOf));
  const own = list.filter(({ name }) => !names.has(name) && !parents.has(name));
  const asItems = (which: readonly Agent[]): Item[] => which.map((agent) => ({ agent }));
  return grouped(
    [
      ["Running", working],
      ["Active", asItems(own.filter(({ live }) => live))],
      ["Inactive", asItems(own.filter(({ live }) => !live))],
      ["Finished", finished.toReversed().map((task): Item => ({ task }))],
    ],
    addressIn,
  );
}

/** Sub-agents that run, each below whoever started it. */
function treeOf(list: readonly Agent[], running: readonly Task[]): Item[] {
  const children = Map.groupBy(running, ({ parent }) => parent);
  const below = (name: string, depth: number): Item[] =>
    (children.get(name) ?? []).flatMap((task) => [{ task, depth }, ...below(task.name, depth + 1)]);
  const runs = new Set(running.map(({ name }) => name));
  return [...children.keys()]
    .filter((parent) => !runs.has(parent))
    .flatMap((parent) => {
      const agent = list.find(({ name }) => name === parent);
      return [...(agent ? [{ agent }] : []), ...below(parent, agent ? 1 : 0)];
    });
}

/** An agent that falls silent causes no event. */
const lookAgainMs = 30_000;

export function Agents() {
  const loaded = useStore(agents);
  const list = loaded.value ?? [];
  const { running = [], finished = [] } = queue.value.value ?? {};
  const rows = useMemo(() => rowsOf(list, running, finished), [loaded.value, queue.value.value]);
  const { id } = place.value;
  const keys = useListKeys("agents", rows);
  useEffect(() => {
    const timer = setInterval(() => void agents.load(), lookAgainMs);
    return () => clearInterval(timer);
  }, []);
  const lines = useLastLines(running.length > 0);
  const waits = useWaits();
  useOpenTabs(id);
  return (
    <ListTab
      tab="agents"
      loaded={loaded}
      rows={rows}
      keys={keys}
      tools={<CostsButton />}
      empty={
        <Empty icon="agents" title="No agents yet" command="inbox setup claude">
          Every agent that uses the bus appears here. To give one its tools:
        </Empty>
      }
      render={(item, address) => (
        <AgentRow
          item={item}
          address={address}
          open={address === id}
          line={hasEnded(item) ? undefined : lines?.get(nameOf(item))}
          wait={hasEnded(item) ? undefined : waits.get(nameOf(item))}
        />
      )}
    >
      {id === undefined ? (
        <Empty icon="agents" title="No agent is open">
          Open one to see what it is doing, read its mail and write to it.
        </Empty>
      ) : (
        <>
          <TabStrip />
          <Detail key={id} name={id} agent={list.find(({ name }) => name === id)} />
        </>
      )}
    </ListTab>
  );
}

/** Of many tasks that have finished the queue lists the latest: an older one is asked for. */
function Detail({ name, agent }: { name: string; agent: Agent | undefined }) {
  const known = taskNamed(name);
  const isListed = queue.value.value !== undefined;
  const mayBeTask = !known && (agent?.ended ?? true);
  const mayBeOld = mayBeTask && isListed;
  const { value, problem } = useLoaded(
    {
      fetch: async () => (mayBeOld ? (await tasks.show(name)).task : null),
      changedBy: ({ eventType }) => mayBeOld && eventType.startsWith("task."),
    },
    [name, mayBeOld],
  );
  /** What is shown stays while more is asked: a field in it may have the focus. */
  const shown = useRef(false);
  const task = known ?? (value ? asListed(value) : undefined);
  if (task) return <SubAgent task={task} />;
  const asking = isListed ? value === undefined && !problem : !queue.problem.value;
  if (mayBeTask && asking && !shown.current) return <div class="waiting" aria-busy="true" />;
  shown.current = true;
  return <AgentDetail name={name} agent={agent} />;
}

const summaryOf = ({ leases, pending, pools }: Agent) =>
  [leases && `${leases} in progress`, pending && `${pending} to claim`, pools.join(", ")]
    .filter(Boolean)
    .join(" · ") || "idle";

/** For how long it runs, or how it ended. */
const TaskState = ({ task }: { task: Task }) =>
  task.status === "running" && task.startedAt ? (
    <Elapsed since={task.startedAt} />
  ) : (
    <StatusTag status={statusOf(task)} />
  );

const hasEnded = (item: Item) => "task" in item && item.task.status === "finished";

interface RowProps {
  item: Item;
  address: string;
  open: boolean;
  /** What it said last. */
  line: string | undefined;
  /** What it has asked somebody. */
  wait: Wait | undefined;
}

const AgentRow = ({ item, address, open, line, wait }: RowProps) => (
  <Row
    to={{ tab: "agents", id: address }}
    open={open}
    depth={item.depth}
    lead={<Face name={nameOf(item)} />}
    title={nameOf(item)}
    more={
      wait ? (
        <Waits wait={wait} />
      ) : (
        <span class={line === undefined ? undefined : "last-line"}>
          {line ?? ("task" in item ? gistOf(item.task) : summaryOf(item.agent))}
        </span>
      )
    }
    side={"task" in item ? <TaskState task={item.task} /> : <Age at={item.agent.lastSeenAt} />}
  />
);
