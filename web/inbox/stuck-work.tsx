/** [U11] Above the list: the person's threads whose holder may be gone, each with a way to it. */
import { stuck } from "../data/stuck.ts";
import { plainTitle } from "../documents/plain-text.ts";
import { Icon } from "../ui/icon.tsx";
import { PlaceLink } from "../ui/place-link.tsx";

const shownAtOnce = 3;

export function StuckWork() {
  const all = stuck.value;
  if (!all.length) return null;
  const more = all.length - shownAtOnce;
  return (
    <section class="stuck" aria-label="Stuck work">
      {all.slice(0, shownAtOnce).map(({ threadId, subject, holder }) => (
        <PlaceLink key={threadId} class="stuck-line" to={{ tab: "threads", id: threadId }}>
          <Icon name="warning" />
          <span class="stuck-title">{plainTitle(subject)}</span>
          <span class="tag" data-tone="bad" title={`The lease of ${holder} has lapsed`}>
            stuck at {holder}
          </span>
        </PlaceLink>
      ))}
      {more > 0 && (
        <PlaceLink class="stuck-line" to={{ tab: "threads" }}>
          {more} more
        </PlaceLink>
      )}
    </section>
  );
}
