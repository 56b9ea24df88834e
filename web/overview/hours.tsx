/** [U15] What was finished and what failed, by the hour. */
import { plural } from "../../src/contract/plural.ts";
import { withoutDeleted } from "../../src/contract/stats-text.ts";
import type { Stats } from "../data/overview.ts";
import { clockTime } from "../ui/time.tsx";

const barWidth = 20;
const height = 72;

export function Hours({ hours, hoursReduced }: Pick<Stats, "hours" | "hoursReduced">) {
  const sum = (what: "done" | "failed") => hours.reduce((all, hour) => all + hour[what], 0);
  const busiest = Math.max(0, ...hours.map(({ done, failed }) => done + failed));
  const most = Math.max(1, busiest);
  const high = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * height));
  const width = hours.length * barWidth;
  const words = `${sum("done")} done, ${sum("failed")} failed in the last ${hours.length} hours${hoursReduced ? `, ${withoutDeleted}` : ""}`;
  return (
    <figure class="hours">
      <figcaption>
        <strong>{sum("done")}</strong> done, <strong data-bad={sum("failed") > 0}>{sum("failed")}</strong>{" "}
        failed in the last {hours.length} hours
        {hoursReduced && <small> ({withoutDeleted})</small>}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={words}>
        <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
        {hours.map(({ at, done, failed }, n) => (
          <g key={at}>
            <title>{`From ${clockTime(Date.parse(at))}: ${plural(done, "thread")} done, ${failed} failed`}</title>
            <rect class="slot" x={n * barWidth} y="0" width={barWidth} height={height} />
            <rect
              class="done"
              x={n * barWidth + 3}
              y={height - high(done)}
              width={barWidth - 6}
              height={high(done)}
            />
            <rect
              class="failed"
              x={n * barWidth + 3}
              y={height - high(done) - high(failed)}
              width={barWidth - 6}
              height={high(failed)}
            />
          </g>
        ))}
      </svg>
      <p class="hours-scale" aria-hidden="true">
        <span>{clockTime(Date.parse(hours[0]!.at))}</span>
        {busiest > 0 && <span>peak: {busiest} per hour</span>}
        <span>now</span>
      </p>
    </figure>
  );
}
