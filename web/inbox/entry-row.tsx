/** One row of the inbox: an entry, or several that tell of the same. */
import type { Entry } from "../data/entries.ts";
import { archive, bringBack } from "../data/entry-actions.ts";
import { endingOf } from "../data/tasks.ts";
import { DraftTag } from "../ui/draft-tag.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { RowLink } from "../ui/row.tsx";
import { clockTime, fullTime, whenOf } from "../ui/time.tsx";
import { isAway } from "./actions.ts";
import { allOf, type Fold } from "./folds.ts";
import { headline, nameOf, whoOf } from "./words.ts";

interface Props {
  fold: Fold;
  /** Of the entry that the row opens. */
  id: string;
  open: boolean;
  selected: boolean;
  /** Some are selected, so that boxes are shown. */
  selecting: boolean;
  onOpen(): void;
  onUnfold(): void;
  onSelect(range: boolean): void;
}

export function EntryRow({ fold, id, open, selected, selecting, onOpen, onUnfold, onSelect }: Props) {
  const { entry, older, dateless } = fold;
  const title = headline(entry);
  const unread = allOf(fold).some(({ readAt }) => readAt === null);
  return (
    <div
      class="row entry"
      data-open={open}
      data-unread={unread}
      data-selected={selected}
      data-selecting={selecting}
      data-needs={entry.needs ?? undefined}
    >
      <RowLink
        to={{ tab: "inbox", id }}
        open={open}
        strong={false}
        onClick={(event) => (event.shiftKey ? onSelect(true) : onOpen())}
        lead={
          <>
            <span class="unread-dot">{unread && <span class="hidden">Unread.</span>}</span>
            <Face name={whoOf(entry)} />
          </>
        }
        title={title}
        more={<About entry={entry} />}
        side={
          <time dateTime={new Date(entry.ts).toISOString()} title={fullTime(entry.ts)}>
            {dateless ? whenOf(entry.ts) : clockTime(entry.ts)}
          </time>
        }
      />
      <label class="row-select">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={selected}
          aria-label={`Select “${title}”`}
          onClick={(event) => onSelect(event.shiftKey)}
        />
      </label>
      {older.length > 0 && (
        <button
          type="button"
          tabIndex={-1}
          class="fold-count"
          aria-label={`Show the other ${older.length} of “${title}”`}
          title={`Show the other ${older.length}`}
          onClick={onUnfold}
        >
          +{older.length}
        </button>
      )}
      <DoneButton fold={fold} title={title} />
    </div>
  );
}

function DoneButton({ fold, title }: { fold: Fold; title: string }) {
  const away = isAway(fold.entry);
  return (
    <button
      type="button"
      tabIndex={-1}
      class="icon-button row-done"
      aria-label={away ? `Move “${title}” to the inbox` : `Done with “${title}”`}
      title={away ? "Move to the inbox (e)" : "Done (e)"}
      onClick={() => void (away ? bringBack(allOf(fold)) : archive(allOf(fold)))}
    >
      <Icon name={away ? "inbox" : "check"} />
    </button>
  );
}

/** Who it is from, whether it asks for something, and its documents. */
const About = ({ entry }: { entry: Entry }) => (
  <>
    <span class="who">{whoOf(entry)}</span>
    {entry.failure && (
      <span class="tag" data-tone="bad">
        {endingOf(entry.failure.reason)}
      </span>
    )}
    {entry.needs === "answer" && (
      <span class="tag" data-tone="warn">
        question
      </span>
    )}
    {entry.answeredAt && (
      <span class="tag" data-tone="good">
        answered
      </span>
    )}
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
