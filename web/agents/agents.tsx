/** Agents as tabs: who lives, who works on what, and each one's transcript or mailbox. */
import { useEffect, useMemo } from "preact/hooks";
import { type Agent, agents, loadAgents, loaded, problem } from "../data/agents.ts";
import { onEvent, onHealed } from "../data/live.ts";
import { agentIsTask, queue, type Task, taskNamed } from "../data/tasks.ts";
import { useKeys } from "../keys.ts";
import { go, pathOf, place } from "../router.ts";
import { Columns, useListKeys } from "../ui/columns.tsx";
import { Empty, Trouble } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { LongList, type Row } from "../ui/long-list.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age } from "../ui/time.tsx";
import { AgentDetail } from "./agent-detail.tsx";
import { Transcript } from "./transcript.tsx";

type Item = { agent: Agent } | { task: Task };

function rowsOf(list: readonly Agent[], running: readonly Task[], finished: readonly Task[]): Row<Item>[] {
  const names = new Set([...running, ...finished].map(({ name }) => name));
  const own = list.filter(({ name }) => !names.has(name));
  const groups: [string, Item[]][] = [
    ["Running", running.map((task) => ({ task }))],
    ["Alive", own.filter(({ live }) => live).map((agent) => ({ agent }))],
    ["Away", own.filter(({ live }) => !live).map((agent) => ({ agent }))],
    ["Finished", finished.map((task) => ({ task }))],
  ];
  return groups.flatMap(([head, items]) =>
    items.length
      ? [
          { head, count: items.length },
          ...items.map((item) => ({ id: "task" in item ? item.task.name : item.agent.name, item })),
        ]
      : [],
  );
}

export function Agents() {
  const { running, finished } = queue.value;
  const list = agents.value;
  const rows = useMemo(() => rowsOf(list, running, finished), [list, running, finished]);
  const { id } = place.value;
  const { follow, detail } = useListKeys("agents", rows);
  useKeys({ r: () => detail.current?.querySelector<HTMLElement>("textarea")?.focus() });
  useEffect(() => {
    void loadAgents();
    const timer = setInterval(() => void loadAgents(), 30_000); // who falls silent makes no event
    const stops = [onEvent(() => void loadAgents()), onHealed(() => void loadAgents())];
    return () => {
      clearInterval(timer);
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <Columns
      label="Agents"
      detail={detail}
      list={
        <>
          <header class="list-header">
            <h1>Agents</h1>
          </header>
          {problem.value && !loaded.value ? (
            <Trouble {...problem.value} again={() => void loadAgents()} />
          ) : loaded.value && !rows.length ? (
            <Empty icon="agents" title="Nobody has been here yet" command="inbox setup claude">
              Whoever acts on the bus appears here. Give an agent its tools:
            </Empty>
          ) : (
            <LongList
              label="Agents"
              rows={rows}
              current={id}
              follow={follow}
              render={(item, name) => <AgentRow item={item} name={name} open={name === id} />}
            />
          )}
        </>
      }
    >
      {id === undefined ? (
        <Empty icon="agents" title="No agent is open">
          Choose one to see what it does, what waits for it, and to write to it.
        </Empty>
      ) : agentIsTask(id) ? (
        <Transcript key={id} task={taskNamed(id)!} />
      ) : (
        <AgentDetail key={id} name={id} agent={list.find(({ name }) => name === id)} />
      )}
    </Columns>
  );
}

function AgentRow({ item, name, open }: { item: Item; name: string; open: boolean }) {
  return (
    <div class="row" data-open={open}>
      <a
        class="row-link"
        href={pathOf({ tab: "agents", id: name })}
        aria-current={open ? "true" : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey) return;
          event.preventDefault();
          go({ tab: "agents", id: name });
        }}
      >
        <Face name={name} />
        <span class="row-text">
          <span class="row-title strong">{name}</span>
          {"task" in item ? (
            <span class="row-more">
              <span>{item.task.summary}</span>
            </span>
          ) : (
            <span class="row-more">
              <span>
                {[
                  item.agent.leases && `${item.agent.leases} held`,
                  item.agent.pending && `${item.agent.pending} to claim`,
                  item.agent.pools.length && item.agent.pools.join(", "),
                ]
                  .filter(Boolean)
                  .join(" · ") || "idle"}
              </span>
            </span>
          )}
        </span>
        <span class="row-time">
          {"task" in item ? (
            <StatusTag
              status={item.task.status === "finished" ? (item.task.success ? "done" : "failed") : "running"}
            />
          ) : (
            <Age at={item.agent.lastSeenAt} />
          )}
        </span>
      </a>
    </div>
  );
}
