/** [U14] What all tasks have cost today, and on the days before, as far as their programs report it. */
import { useSignal } from "@preact/signals";
import { limitText, money, tokenCount, usageBrief } from "../../src/contract/usage-text.ts";
import { type Costs, costs } from "../data/costs.ts";
import { useStore } from "../data/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";

export function CostsButton() {
  const { value } = useStore(costs);
  const open = useSignal(false);
  // Where no program has ever reported anything there is nothing to show.
  if (!value || (!value.days.length && limitText(value.limit) === null)) return null;
  return (
    <>
      <button
        type="button"
        class="button quiet"
        title="What all tasks have cost today (UTC)"
        onClick={() => {
          open.value = true;
        }}
      >
        {value.held && <Icon name="warning" />} Today {usageBrief(value.today)}
      </button>
      {open.value && (
        <CostsDialog
          costs={value}
          onClose={() => {
            open.value = false;
          }}
        />
      )}
    </>
  );
}

const CostsDialog = ({ costs: { days, limit, held }, onClose }: { costs: Costs; onClose(): void }) => (
  <Dialog label="Costs by day" class="help costs" onClose={onClose}>
    <header>
      <h1>Costs by day</h1>
      <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </header>
    <div class="costs-body" tabIndex={0} role="region" aria-label="Days">
      {held && (
        <p class="gone" role="status">
          <Icon name="warning" />{" "}
          <span>
            {held.until === null
              ? "The limit is 0: queued tasks wait until it is changed."
              : `The limit of today is reached: queued tasks wait until ${new Date(held.until).toLocaleString()}.`}
          </span>
        </p>
      )}
      <p class="hint">
        {limitText(limit) === null ? "There is no daily limit." : `The daily limit is ${limitText(limit)}.`}{" "}
        Days are in UTC. Programs that report nothing are not counted.
      </p>
      <table>
        <thead>
          <tr>
            <th>Day</th>
            <th>Tokens</th>
            <th>From the cache</th>
            <th>Turns</th>
            <th>Cost</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, tokens, cachedTokens, turns, costUsd }) => (
            <tr key={day}>
              <td>{day}</td>
              <td>{tokenCount(tokens)}</td>
              <td>{tokenCount(cachedTokens)}</td>
              <td>{turns}</td>
              <td>{costUsd === null ? "not reported" : money(costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Dialog>
);
