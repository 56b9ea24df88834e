/** The hub's metrics, in Prometheus' text format. */
import type { Stats } from "../../contract/stats.ts";

interface Sum {
  requests: number;
  seconds: number;
}

export type Metrics = ReturnType<typeof openMetrics>;

/** [O3] Latencies that users notice, as histograms. */
const felt = {
  send: "From the request to the answer, of operations that send a message.",
  claim: "From the request to the answer, of claims that need not wait.",
  wake: "From the moment a message or event was written to the answer of the wait that it ended.",
} as const;
export type Felt = keyof typeof felt;

/** In seconds: from the duration of one write to that of an incident. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Histogram {
  /** How many took at most as long as each bound, but longer than the bound below. */
  buckets: number[];
  sum: number;
  count: number;
}

type Sample = [labels: string, value: number];

const family = (name: string, type: "counter" | "gauge" | "histogram", help: string, samples: string[]) =>
  samples.length ? [`# HELP restante_${name} ${help}`, `# TYPE restante_${name} ${type}`, ...samples] : [];

const samplesOf = (name: string, samples: readonly Sample[]) =>
  samples.map(([labels, value]) => `restante_${name}${labels === "" ? "" : `{${labels}}`} ${value}`);

const gauge = (name: string, help: string, ...samples: Sample[]) =>
  family(name, "gauge", help, samplesOf(name, samples));

export function openMetrics() {
  const counted = new Map<string, Map<number, Sum>>();
  const histograms = Object.fromEntries(
    Object.keys(felt).map((name) => [name, { buckets: bounds.map(() => 0), sum: 0, count: 0 }]),
  ) as Record<Felt, Histogram>;

  return {
    count(operation: string, status: number, ms: number): void {
      const byStatus = counted.get(operation) ?? new Map<number, Sum>();
      const sum = byStatus.get(status) ?? { requests: 0, seconds: 0 };
      if (sum.requests === 0) counted.set(operation, byStatus.set(status, sum));
      sum.requests++;
      sum.seconds += ms / 1000;
    },
    feel(what: Felt, ms: number): void {
      const seconds = Math.max(0, ms / 1000);
      const histogram = histograms[what];
      const at = bounds.findIndex((bound) => seconds <= bound);
      if (at >= 0) histogram.buckets[at]!++;
      histogram.sum += seconds;
      histogram.count++;
    },
    /** `stats` is undefined if the database does not answer: what the hub knows itself is shown nevertheless. */
    text(own: { waiters: number; residentBytes: number }, stats: Stats | undefined): string {
      const rows = [...counted].flatMap(([operation, byStatus]) =>
        [...byStatus].map(([status, sum]) => ({
          labels: `operation="${operation}",status="${status}"`,
          ...sum,
        })),
      );
      const requests = rows.map((row): Sample => [row.labels, row.requests]);
      const seconds = rows.map((row): Sample => [row.labels, row.seconds]);
      const lines = [
        ...family("requests_total", "counter", "Requests answered.", samplesOf("requests_total", requests)),
        ...family(
          "request_seconds_total",
          "counter",
          "Time spent on them, waiting included.",
          samplesOf("request_seconds_total", seconds),
        ),
        ...(Object.keys(felt) as Felt[]).flatMap((name) => histogramLines(name, histograms[name])),
        ...gauge("waiters", "Open waits.", ["", own.waiters]),
        ...gauge("resident_bytes", "Memory in use.", ["", own.residentBytes]),
        ...gauge("up", "Whether the database answers.", ["", stats ? 1 : 0]),
        ...(stats ? busLines(stats) : []),
      ];
      return `${lines.join("\n")}\n`;
    },
  };
}

function histogramLines(name: Felt, { buckets, sum, count }: Histogram): string[] {
  let below = 0;
  const samples = bounds.map((bound, at): string => {
    below += buckets[at]!;
    return `restante_${name}_seconds_bucket{le="${bound}"} ${below}`;
  });
  return family(`${name}_seconds`, "histogram", felt[name], [
    ...samples,
    `restante_${name}_seconds_bucket{le="+Inf"} ${count}`,
    `restante_${name}_seconds_sum ${sum}`,
    `restante_${name}_seconds_count ${count}`,
  ]);
}

/** The counts of `stats`. Names of agents are not labels: there may be any number of them. */
function busLines({
  at,
  agents,
  threads,
  mail,
  tasks,
  costs,
  leases,
  deadLetters,
  unreadEntries,
}: Stats): string[] {
  const oldest = mail.oldest ? (Date.parse(at) - Date.parse(mail.oldest.createdAt)) / 1000 : 0;
  const state = (name: string, value: number): Sample => [`state="${name}"`, value];
  return [
    ...gauge("agents", "Agents.", state("known", agents.known), state("live", agents.live)),
    ...gauge(
      "threads",
      "Open threads.",
      state("pending", threads.pending),
      state("claimed", threads.claimed),
      state("in_progress", threads.inProgress),
      state("blocked", threads.blocked),
    ),
    ...gauge("mail_waiting", "Messages that wait in agents' inboxes.", ["", mail.waiting]),
    ...gauge("mail_unused", "Messages for names that nobody has used yet.", ["", mail.unused.waiting]),
    ...gauge("mail_oldest_seconds", "How long the oldest message in agents' inboxes has waited.", [
      "",
      oldest,
    ]),
    ...gauge("dead_letters", "Messages that could not be delivered.", ["", deadLetters]),
    ...gauge("unread_entries", "Entries the person has not read.", ["", unreadEntries]),
    ...gauge(
      "tasks",
      "Unfinished tasks.",
      state("queued", tasks.queued),
      state("waiting", tasks.waiting),
      state("running", tasks.running),
    ),
    ...gauge("tokens_today", "Tokens that tasks have used since midnight (UTC).", ["", costs.today.tokens]),
    ...gauge("cost_usd_today", "US dollars that tasks have cost since midnight (UTC).", [
      "",
      costs.today.costUsd ?? 0,
    ]),
    ...gauge("leases_lapsed", "Leases that ran out and nobody took over, counted up to 20.", [
      "",
      leases.filter(({ lapsed }) => lapsed).length,
    ]),
  ];
}
