/** What goes wrong in an attack. Each strikes again and again until it is told to stop, and leaves everything working. */
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fakeTime } from "../../support/faketime.ts";
import { hasRabbit, postgresPrograms } from "../../support/servers.ts";
import { diskShim } from "../shim/shim.ts";
import type { Bed, Needs } from "./bed.ts";
import { hasProcessTables } from "./process-table.ts";
import { childrenOf, processesOf, runsTasks, signal } from "./processes.ts";
import { administer, type EngineName, engines } from "./servers.ts";

export interface Nemesis {
  engines: readonly EngineName[];
  /** Strikes once. */
  strike(bed: Bed): Promise<void>;
  /** Milliseconds between two strikes, at most. */
  pause: number;
  needs?: Needs;
  /** How many of the processes that agents start for calls it kills, from 0 to 1. */
  killCalls?: number;
  once?: boolean;
  /** Why it cannot be had on this machine. */
  missing?: string;
}

const pick = <T>({ random }: Bed, all: readonly T[]) => all[Math.floor(random() * all.length)]!;
const a = ({ random }: Bed, ms: number) => Bun.sleep(random() * ms);

/** Two nemeses at once would start the same thing twice: what one has in hand the other leaves alone. */
async function alone<T extends object>(
  nemesis: string,
  bed: Bed,
  victims: readonly T[],
  work: (one: T) => Promise<void>,
) {
  const free = victims.filter((one) => !bed.busy.has(one));
  if (!free.length) return;
  const victim = pick(bed, free);
  bed.busy.add(victim);
  await bed.fault(nemesis, () => work(victim));
  bed.busy.delete(victim);
}

const onServer: EngineName[] = ["postgres", "rabbitmq"];
const isRoot = process.getuid?.() === 0;
const shim = diskShim();

const ofHubs: Record<string, Nemesis> = {
  "kill-hub": {
    engines,
    pause: 1500,
    strike: (bed) =>
      alone("kill-hub", bed, bed.hubs, async (hub) => {
        await hub.kill();
        await a(bed, 300);
        await hub.start();
      }),
  },
  "stop-hub": {
    engines,
    pause: 1500,
    strike: (bed) =>
      alone("stop-hub", bed, bed.hubs, async (hub) => {
        await hub.end();
        await hub.start();
      }),
  },
  "pause-hub": {
    engines,
    pause: 1500,
    strike: (bed) =>
      alone("pause-hub", bed, bed.hubs, async (hub) => {
        hub.signal("SIGSTOP");
        await a(bed, 2500);
        hub.signal("SIGCONT");
      }),
  },
  "jump-clocks": {
    engines,
    pause: 3000,
    missing: fakeTime("+1h") ? undefined : "faketime",
    strike: (bed) =>
      alone("jump-clocks", bed, bed.hubs, async (hub) => {
        await hub.kill();
        await hub.start(fakeTime(pick(bed, ["+1h", "-1h", "+10d", "-3s", "+3s", "+0s"])));
      }),
  },
  "break-lines": {
    engines,
    pause: 500,
    strike: async (bed) => {
      bed.lines.breaking(0.7);
      await a(bed, 3000);
      bed.lines.breaking(0);
    },
  },
};

const ofAgents: Record<string, Nemesis> = {
  // Struck by the processes that start the calls.
  "kill-calls": { engines, pause: 1000, killCalls: 0.3, strike: async () => {} },
  "kill-agents": {
    engines,
    pause: 2500,
    strike: (bed) =>
      alone("kill-agents", bed, bed.agents, async (victim) => {
        victim.signal("SIGKILL");
        await victim.exited;
        bed.agents.splice(bed.agents.indexOf(victim), 1);
        bed.startAgents(victim.surface, victim.roles, victim.restMs);
      }),
  },
  "pause-agents": {
    engines,
    pause: 1000,
    strike: (bed) =>
      alone("pause-agents", bed, bed.agents, async (victim) => {
        victim.signal("SIGSTOP");
        await a(bed, 3000);
        victim.signal("SIGCONT");
      }),
  },
};

const ofTasks: Record<string, Nemesis> = {
  /** Keepers, supervisors that are no hub, sub-agents and what these have started. */
  "kill-tasks": {
    engines,
    pause: 1500,
    needs: { tasks: true },
    strike: async (bed) => {
      const running = processesOf(bed.place.db).filter(runsTasks);
      if (running.length)
        await bed.fault("kill-tasks", async () => signal(pick(bed, running).pid, "SIGKILL"));
    },
  },
};

const ofProcesses: Record<string, Nemesis> = {
  /** The runtime of a hub that needs a thread meanwhile may end it. */
  "fill-process-table": {
    engines,
    pause: 3000,
    needs: { tasks: true, processTable: true },
    missing: hasProcessTables()
      ? undefined
      : "group of processes with a limit (cgroup, pids) that we may make",
    strike: (bed) =>
      bed.fault("fill-process-table", async () => {
        bed.table!.fill();
        await a(bed, 1500);
        bed.table!.free();
        for (const hub of bed.hubs) if (hub.hasEnded() && !bed.busy.has(hub)) await hub.start();
      }),
  },
};

const ofDisks: Record<string, Nemesis> = {
  "fill-disk": {
    engines: ["sqlite"],
    pause: 2000,
    needs: { smallDisk: true },
    missing: isRoot ? undefined : "root, who may mount a small disk",
    strike: (bed) =>
      bed.fault("fill-disk", async () => {
        const filler = join(bed.disk, "filler");
        fillUp(filler);
        await a(bed, 1500);
        rmSync(filler);
      }),
  },
  "slow-disk": {
    engines: ["sqlite"],
    pause: 1000,
    needs: { slowDisk: shim },
    missing: shim ? undefined : "a C compiler (gcc) on Linux",
    strike: (bed) =>
      bed.fault("slow-disk", async () => {
        writeFileSync(bed.slow, String(Math.floor(bed.random() * 400)));
        await a(bed, 2500);
        rmSync(bed.slow);
      }),
  },
};

function fillUp(path: string): void {
  const file = openSync(path, "w");
  try {
    for (;;) writeSync(file, new Uint8Array(4096));
  } catch {
    // There is no room left, which is what was wanted.
  } finally {
    closeSync(file);
  }
}

const postgresMissing = postgresPrograms() ? undefined : "Postgres";

const ofPostgres: Record<string, Nemesis> = {
  "terminate-postgres": {
    engines: onServer,
    pause: 1000,
    missing: postgresMissing,
    strike: (bed) =>
      alone("terminate-postgres", bed, [bed.servers.postgres!], async () => {
        await administer(
          bed.place.db,
          (sql) =>
            sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        );
      }),
  },
  "crash-postgres": {
    engines: onServer,
    pause: 4000,
    missing: postgresMissing,
    strike: (bed) =>
      alone("crash-postgres", bed, [bed.servers.postgres!], async (server) => {
        await server.kill();
        await server.restart();
      }),
  },
  "pause-postgres": {
    engines: onServer,
    pause: 2000,
    missing: postgresMissing,
    strike: (bed) =>
      alone("pause-postgres", bed, [bed.servers.postgres!], async ({ pid }) => {
        const all = [pid, ...childrenOf(pid)];
        for (const one of all) signal(one, "SIGSTOP");
        await a(bed, 2500);
        for (const one of all) signal(one, "SIGCONT");
      }),
  },
  "break-postgres": {
    engines: onServer,
    pause: 500,
    missing: postgresMissing,
    needs: { faultyPostgres: true },
    strike: (bed) =>
      bed.fault("break-postgres", async () => {
        const ways = ["cut before", "cut after", "freeze before", "freeze after", "abandon before"] as const;
        await Promise.race([bed.postgresLine!.strike(pick(bed, ways)), Bun.sleep(3000)]);
        await a(bed, 1000);
        bed.postgresLine!.cut();
      }),
  },
  "fail-over": {
    engines: ["postgres"],
    pause: 5000,
    once: true,
    missing: postgresMissing,
    needs: { pair: true },
    strike: (bed) =>
      bed.fault("fail-over", async () => {
        await bed.pair!.primary.kill();
        await bed.pair!.standby.promote();
      }),
  },
};

const rabbitMissing = hasRabbit() ? undefined : "RabbitMQ";

const ofRabbit: Record<string, Nemesis> = {
  "kill-rabbit": {
    engines: ["rabbitmq"],
    pause: 3000,
    missing: rabbitMissing,
    strike: (bed) =>
      alone("kill-rabbit", bed, [bed.servers.rabbit!], async (rabbit) => {
        await rabbit.kill();
        await rabbit.restart();
      }),
  },
  "purge-rabbit": {
    engines: ["rabbitmq"],
    pause: 1000,
    missing: rabbitMissing,
    strike: (bed) =>
      alone("purge-rabbit", bed, [bed.servers.rabbit!], async (rabbit) => {
        const queues = rabbit
          .control("list_queues", "name", "--no-table-headers")
          .split("\n")
          .filter(Boolean);
        if (queues.length) rabbit.control("purge_queue", pick(bed, queues));
      }),
  },
  "pause-rabbit": {
    engines: ["rabbitmq"],
    pause: 2000,
    missing: rabbitMissing,
    strike: (bed) =>
      alone("pause-rabbit", bed, [bed.servers.rabbit!], async ({ pid }) => {
        signal(-pid, "SIGSTOP");
        await a(bed, 3000);
        signal(-pid, "SIGCONT");
      }),
  },
};

export const nemeses: Record<string, Nemesis> = {
  ...ofHubs,
  ...ofAgents,
  ...ofTasks,
  ...ofProcesses,
  ...ofDisks,
  ...ofPostgres,
  ...ofRabbit,
};

/** Those that can strike this engine here. */
export const nemesesOf = (engine: EngineName) =>
  Object.keys(nemeses).filter((name) => nemeses[name]!.engines.includes(engine) && !nemeses[name]!.missing);

export async function torment(name: string, bed: Bed, over: AbortSignal): Promise<void> {
  const nemesis = nemeses[name]!;
  do {
    await a(bed, nemesis.pause);
    if (!over.aborted) await nemesis.strike(bed);
  } while (!over.aborted && !nemesis.once);
}
