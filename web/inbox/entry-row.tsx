/** One entry in the list. */
import type { Entry } from "../data/entries.ts";
import { remove } from "../data/entry-actions.ts";
import { pathOf } from "../router.ts";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { clockTime, fullTime } from "../ui/time.tsx";
import { headline, nameOf, whoOf } from "./words.ts";

interface Props {
  entry: Entry;
  open: boolean;
  selected: boolean;
  /** Some are selected, so that boxes are shown. */
  selecting: boolean;
  onOpen(): void;
  onSelect(range: boolean): void;
}

export function EntryRow({ entry, open, selected, selecting, onOpen, onSelect }: Props) {
  const who = whoOf(entry);
  const title = headline(entry);
  const click = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey) return; // a new window
    event.preventDefault();
    if (event.shiftKey) onSelect(true);
    else onOpen();
  };
  return (
    <div
      class="row entry"
      data-open={open}
      data-unread={entry.readAt === null}
      data-selected={selected}
      data-selecting={selecting}
    >
      <a
        class="row-link"
        href={pathOf({ tab: "inbox", id: entry.id })}
        aria-current={open ? "true" : undefined}
        onClick={click}
      >
        <span class="unread-dot">{entry.readAt === null && <span class="hidden">Unread.</span>}</span>
        <Face name={who} />
        <span class="row-text">
          <span class="row-title">{title}</span>
          <span class="row-more">
            <span class="who">{who}</span>
            {entry.choices && !entry.answeredAt && (
              <span class="tag" data-tone="warn">
                asks
              </span>
            )}
            {entry.answeredAt && <span class="tag">answered</span>}
            {entry.docs[0] && (
              <span class="doc-names">
                <Icon name="file" />
                {nameOf(entry.docs[0].path)}
                {entry.docs.length > 1 && ` +${entry.docs.length - 1}`}
              </span>
            )}
          </span>
        </span>
        <time class="row-time" dateTime={new Date(entry.ts).toISOString()} title={fullTime(entry.ts)}>
          {clockTime(entry.ts)}
        </time>
      </a>
      <label class="row-select">
        <input
          type="checkbox"
          checked={selected}
          aria-label={`Select “${title}”`}
          onClick={(event) => onSelect(event.shiftKey)}
        />
      </label>
      <button
        type="button"
        class="icon-button row-delete"
        aria-label={`Delete “${title}”`}
        title="Delete"
        onClick={() => void remove([entry])}
      >
        <Icon name="trash" />
      </button>
    </div>
  );
}
