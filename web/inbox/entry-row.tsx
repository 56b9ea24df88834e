/** One entry in the list. */
import type { Entry } from "../data/entries.ts";
import { remove } from "../data/entry-actions.ts";
import { DraftTag } from "../ui/draft-tag.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { RowLink } from "../ui/row.tsx";
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
  const title = headline(entry);
  return (
    <div
      class="row entry"
      data-open={open}
      data-unread={entry.readAt === null}
      data-selected={selected}
      data-selecting={selecting}
    >
      <RowLink
        to={{ tab: "inbox", id: entry.id }}
        open={open}
        strong={false}
        onClick={(event) => (event.shiftKey ? onSelect(true) : onOpen())}
        lead={
          <>
            <span class="unread-dot">{entry.readAt === null && <span class="hidden">Unread.</span>}</span>
            <Face name={whoOf(entry)} />
          </>
        }
        title={title}
        more={<About entry={entry} />}
        side={
          <time dateTime={new Date(entry.ts).toISOString()} title={fullTime(entry.ts)}>
            {clockTime(entry.ts)}
          </time>
        }
      />
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

/** Who it is from, whether it asks for an answer, and its documents. */
const About = ({ entry }: { entry: Entry }) => (
  <>
    <span class="who">{whoOf(entry)}</span>
    {entry.choices && !entry.answeredAt && (
      <span class="tag" data-tone="warn">
        question
      </span>
    )}
    {entry.answeredAt && <span class="tag">answered</span>}
    <DraftTag name={`entry ${entry.id}`} />
    {entry.docs[0] && (
      <span class="doc-names">
        <Icon name="file" />
        {nameOf(entry.docs[0].path)}
        {entry.docs.length > 1 && ` +${entry.docs.length - 1}`}
      </span>
    )}
  </>
);
