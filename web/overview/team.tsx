/** [U15] Who works on what, and who waits for whom: two columns of people, and a line for each who waits. */
import { plural } from "../../src/contract/plural.ts";
import { me } from "../data/api.ts";
import type { Overview } from "../data/overview.ts";
import { useWaits, type Wait, waitingFor } from "../data/waits.ts";
import { plainTitle } from "../documents/plain-text.ts";
import { Empty } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { PlaceLink } from "../ui/place-link.tsx";
import { Age } from "../ui/time.tsx";
import { type Line, type Picture, pictureOf, type Tone, type Worker } from "./picture.ts";

/** As the style sheet has it: lines end where rows are. */
const rowHeight = 56;
const middleOf = (row: number) => row * rowHeight + rowHeight / 2;

const words: Record<Tone, string> = {
  works: "working on",
  waits: "waits for an answer:",
  lapsed: "lease lapsed:",
};

export function Team({ overview }: { overview: Overview }) {
  const waits = useWaits();
  const picture = pictureOf(overview, waits);
  if (!picture.workers.length)
    return (
      <Empty icon="agents" title="Nobody is working at the moment">
        Whoever claims a thread or runs a task is drawn here, with a line to whom it works for.
      </Empty>
    );
  const { askers, workers, lines, moreWorkers, moreAskers } = picture;
  return (
    <>
      <div class="team">
        <ul class="team-column" aria-label="Who waits for work">
          {askers.map((name) => (
            <li key={name}>
              <PlaceLink class="team-node" to={name === me ? { tab: "inbox" } : { tab: "agents", id: name }}>
                <Face name={name} />
                <span class="team-name">{name === me ? "you" : name}</span>
              </PlaceLink>
            </li>
          ))}
        </ul>
        <Lines {...picture} />
        <ul class="team-column" aria-label="Who works">
          {workers.map((worker) => (
            <li key={worker.name}>
              <WorkerNode {...worker} wait={waits.get(worker.name)} />
            </li>
          ))}
        </ul>
      </div>
      <p class="hint team-more">
        {legendOf(lines)}
        {moreWorkers > 0 &&
          ` Of all who work, the busiest are drawn; there ${overview.hasMore ? "are at least" : moreWorkers === 1 ? "is" : "are"} ${plural(moreWorkers, "more agent")}.`}
        {moreAskers > 0 && ` ${moreAskers} more wait for them.`}
      </p>
    </>
  );
}

const legendOf = (lines: readonly Line[]) => {
  const waits = lines.filter(({ tone }) => tone === "waits").length;
  const lapsed = lines.filter(({ tone }) => tone === "lapsed").length;
  return [
    "A line leads from whoever waits for work to whoever does it.",
    ...(waits ? ["Dashed: the worker is blocked and waits for an answer."] : []),
    ...(lapsed ? ["Red: its lease has lapsed."] : []),
  ].join(" ");
};

function WorkerNode({ name, on, tone, wait }: Worker & { wait: Wait | undefined }) {
  const first = on[0]!;
  const state = tone === "waits" && wait ? `${waitingFor(wait)}:` : words[tone];
  return (
    <div class="team-node" data-tone={tone}>
      <PlaceLink class="team-face" to={{ tab: "agents", id: name }} title={name}>
        <Face name={name} />
        <span class="hidden">{name}</span>
      </PlaceLink>
      <span class="team-text">
        <span class="team-name">
          {name} <Age at={first.updatedAt} />
        </span>
        <PlaceLink
          class="team-work"
          to={{ tab: "threads", id: first.threadId }}
          title={`${state} ${first.subject}`}
        >
          <span class={tone === "works" ? "hidden" : "team-state"}>{state} </span>
          {plainTitle(first.subject)}
        </PlaceLink>
      </span>
      {on.length > 1 && (
        <span class="count" title={plural(on.length, "thread")}>
          {on.length}
        </span>
      )}
    </div>
  );
}

/** In the gap between the columns; stretched to its width. */
function Lines({ askers, workers, lines }: Picture) {
  const height = Math.max(askers.length, workers.length) * rowHeight;
  return (
    <svg
      class="team-lines"
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
      style={{ height: `${height}px` }}
      role="img"
      aria-label={lines
        .map(
          ({ from, to, tone }) =>
            `${askers[from]} waits for ${workers[to]!.name}${tone === "waits" ? ", which is blocked" : tone === "lapsed" ? ", whose lease has lapsed" : ""}`,
        )
        .join("; ")}
    >
      {lines.map(({ from, to, count, tone }) => (
        <path
          key={`${from} ${to}`}
          data-tone={tone}
          style={{ "--width": String(Math.min(6, 1 + Math.log2(count))) }}
          d={`M0 ${middleOf(from)}C50 ${middleOf(from)} 50 ${middleOf(to)} 100 ${middleOf(to)}`}
        />
      ))}
    </svg>
  );
}
