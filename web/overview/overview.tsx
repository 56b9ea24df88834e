/** [U15] The team at a glance: a live picture, and the numbers that need a look. */
import { plural } from "../../src/contract/plural.ts";
import { me } from "../data/api.ts";
import { attention, shownCount } from "../data/counts.ts";
import { overview, type Stats } from "../data/overview.ts";
import { useStore } from "../data/store.ts";
import type { Place } from "../router.ts";
import { Trouble } from "../ui/empty.tsx";
import { PlaceLink } from "../ui/place-link.tsx";
import { Age } from "../ui/time.tsx";
import { Hours } from "./hours.tsx";
import { Team } from "./team.tsx";

export function Overview() {
  const { value, problem, retry } = useStore(overview);
  return (
    <section class="overview" aria-label="Overview">
      <header class="list-header">
        <h1>Overview</h1>
        {value && (
          <span class="hint">
            <Age at={value.stats.at} />
          </span>
        )}
      </header>
      <div class="overview-body" tabIndex={0} role="region" aria-label="The team">
        {problem && !value && <Trouble {...problem} retry={retry} />}
        {!problem && !value && <div class="waiting" aria-busy="true" />}
        {value && (
          <>
            <Numbers {...value.stats} />
            <div class="overview-parts">
              <section class="overview-part" aria-labelledby="team-head">
                <h2 id="team-head">Who works, and for whom</h2>
                <Team overview={value} />
              </section>
              <section class="overview-part" aria-labelledby="hours-head">
                <h2 id="hours-head">Finished</h2>
                <Hours hours={value.stats.hours} hoursReduced={value.stats.hoursReduced} />
                <Longest queues={value.stats.queues} />
              </section>
            </div>
          </>
        )}
      </div>
    </section>
  );
}

interface Fact {
  name: string;
  count: string | number;
  to: Place;
  tone?: "warn" | "bad" | false;
}

const factsOf = ({ agents, threads, mail, tasks, deadLetters }: Stats): Fact[] => [
  {
    name: "need you",
    count: shownCount(attention.value),
    to: { tab: "inbox" },
    tone: attention.value > 0 && "warn",
  },
  { name: `active of ${plural(agents.known, "agent")}`, count: agents.live, to: { tab: "agents" } },
  { name: "threads in work", count: threads.claimed + threads.inProgress, to: { tab: "threads" } },
  { name: "blocked", count: threads.blocked, to: { tab: "threads" }, tone: threads.blocked > 0 && "warn" },
  { name: "threads to claim", count: threads.pending, to: { tab: "threads" } },
  { name: "tasks running", count: tasks.running, to: { tab: "queue" } },
  { name: "tasks queued", count: tasks.queued + tasks.waiting, to: { tab: "queue" } },
  { name: "messages waiting", count: mail.waiting, to: { tab: "channels" } },
  { name: "dead letters", count: deadLetters, to: { tab: "dead-letters" }, tone: deadLetters > 0 && "bad" },
];

const Numbers = (stats: Stats) => (
  <ul class="numbers">
    {factsOf(stats).map(({ name, count, to, tone }) => (
      <li key={name}>
        <PlaceLink class="number" to={to}>
          <strong data-tone={tone || undefined}>{count}</strong> <span>{name}</span>
        </PlaceLink>
      </li>
    ))}
  </ul>
);

/** What waits for somebody who may not be there. */
function Longest({ queues }: Pick<Stats, "queues">) {
  const some = queues.slice(0, 6);
  const most = Math.max(1, ...some.map(({ mail, pending }) => mail + pending));
  if (!some.length) return null;
  return (
    <>
      <h2 class="longest-head">Longest queues</h2>
      <ul class="longest">
        {some.map(({ name, mail, pending, oldestAt, live }) => (
          <li key={name}>
            <PlaceLink class="longest-line" to={{ tab: "agents", id: name }}>
              <span class="longest-name">{name === me ? "you" : name}</span>
              <svg class="longest-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect width={Math.max(1, ((mail + pending) / most) * 100)} height="8" data-live={live} />
              </svg>
              <span class="longest-count">
                {mail + pending}
                <span class="hidden"> waiting</span>
              </span>
              <span class="hint">
                {live ? "active" : "away"}
                {oldestAt && (
                  <>
                    , oldest <Age at={oldestAt} />
                  </>
                )}
              </span>
            </PlaceLink>
          </li>
        ))}
      </ul>
    </>
  );
}
