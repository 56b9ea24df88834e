/** One row of a patch. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Markdown } from "../documents/lazy.tsx";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { modKey, withMod } from "../ui/mod-key.ts";
import { coloursOf } from "./colours.ts";
import type { Comment, Spot } from "./comments.ts";
import type { FilePatch, PatchLine } from "./patch.ts";
import { type DiffRow, type Placed, spotOf } from "./rows.ts";

export interface DiffActions {
  fold(file: FilePatch): void;
  /** Undefined where nothing can be written. */
  write?(spot: Spot): void;
  /** What was written there before. */
  textAt(spot: Spot): string;
  /** Empty text removes the comment; undefined leaves it as it was. */
  wrote(spot: Spot, text: string | undefined): void;
}

interface Props {
  row: DiffRow;
  /** The line the keyboard is on. */
  current: boolean;
  actions: DiffActions;
  /** What stands above all files. */
  top: ComponentChildren;
}

export function Row({ row, current, actions, top }: Props) {
  switch (row.is) {
    case "top":
      return <>{top}</>;
    case "file":
      return <FileHead {...row} actions={actions} current={current} />;
    case "hunk":
      return (
        <div class="patch-hunk">
          <span aria-hidden="true">⋯</span> <code>{row.hunk.inside || `line ${row.hunk.from}`}</code>
        </div>
      );
    case "line":
      return (
        <div class="patch-line" data-kind={row.one.line.kind} data-current={current}>
          <span class="patch-number">{row.one.line.before}</span>
          <span class="patch-number">{row.one.line.after}</span>
          <Text file={row.file} one={row.one} actions={actions} />
        </div>
      );
    case "pair":
      return (
        <div class="patch-pair" data-current={current}>
          <Side file={row.file} one={row.left} side="before" actions={actions} />
          <Side file={row.file} one={row.right} side="after" actions={actions} />
        </div>
      );
    case "comment":
      return <CommentRow key={row.key} spot={row.spot} comment={row.comment} actions={actions} />;
    case "finding":
      return (
        <div class="patch-comment finding">
          <p class="hint">Reviewer</p>
          <Markdown text={row.finding.text} message />
        </div>
      );
    case "note":
      return <p class="patch-note hint">{row.text}</p>;
  }
}

const changes: Partial<Record<FilePatch["change"], string>> = {
  added: "new",
  deleted: "deleted",
  renamed: "renamed",
};

interface HeadProps {
  file: FilePatch;
  folded: boolean;
  comments: number;
  current: boolean;
  actions: DiffActions;
}

const FileHead = ({ file, folded, comments, current, actions }: HeadProps) => (
  <h2 class="patch-file" data-current={current}>
    <button type="button" class="patch-fold" aria-expanded={!folded} onClick={() => actions.fold(file)}>
      <Icon name="chevron" />
      <span class="patch-path">
        {file.oldPath !== undefined && `${file.oldPath} → `}
        {file.path}
      </span>
    </button>
    {changes[file.change] && <span class="tag">{changes[file.change]}</span>}
    {comments > 0 && (
      <span class="tag" data-tone="accent">
        {comments} {comments === 1 ? "comment" : "comments"}
      </span>
    )}
    <Changed {...file} />
  </h2>
);

export const Changed = ({ added, removed }: { added: number | null; removed: number | null }) => (
  <span class="changed">
    {added === null || removed === null ? (
      "binary"
    ) : (
      <>
        <span class="changed-added">+{added}</span> <span class="changed-removed">−{removed}</span>
      </>
    )}
  </span>
);

interface SideProps {
  file: FilePatch;
  one?: Placed;
  side: Spot["side"];
  actions: DiffActions;
}

const Side = ({ file, one, side, actions }: SideProps) => (
  <div class="patch-line" data-kind={one?.line.kind ?? "none"}>
    <span class="patch-number">{one?.line[side]}</span>
    {one ? <Text file={file} one={one} actions={actions} /> : <span class="patch-text" />}
  </div>
);

const signs: Record<PatchLine["kind"], string> = { same: "", added: "added: ", removed: "removed: " };

function Text({
  file,
  one: { line, hunk, at },
  actions,
}: {
  file: FilePatch;
  one: Placed;
  actions: DiffActions;
}) {
  const pieces = coloursOf(file.path, hunk, at);
  return (
    <>
      <span class="patch-text">
        {signs[line.kind] && <span class="hidden">{signs[line.kind]}</span>}
        {pieces
          ? pieces.map((piece, i) => (
              <span key={i} class={piece.class}>
                {piece.text}
              </span>
            ))
          : line.text}
        {line.unended && <span class="hint"> (no line break at the end)</span>}
      </span>
      {actions.write && (
        <button
          type="button"
          class="patch-comment-button"
          tabIndex={-1}
          aria-label={`Comment on line ${line.after ?? line.before}`}
          title="Comment (c)"
          onClick={() => actions.write?.(spotOf(file, line))}
        >
          <Icon name="plus" />
        </button>
      )}
    </>
  );
}

interface CommentProps {
  spot: Spot;
  /** Undefined while it is written. */
  comment?: Comment;
  actions: DiffActions;
}

function CommentRow({ spot, comment, actions }: CommentProps) {
  if (!comment) return <Writing spot={spot} actions={actions} />;
  return (
    <div class="patch-comment">
      <p>{comment.text}</p>
      {actions.write && (
        <p class="patch-comment-actions">
          <LinkButton onClick={() => actions.write?.(spot)}>Edit</LinkButton>
          <LinkButton onClick={() => actions.wrote(spot, "")}>Remove</LinkButton>
        </p>
      )}
    </div>
  );
}

function Writing({ spot, actions }: { spot: Spot; actions: DiffActions }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSignal(actions.textAt(spot));
  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), []);
  const keep = () => actions.wrote(spot, text.value);
  const save = withMod("Enter", keep);
  return (
    <div class="patch-comment writing">
      <textarea
        ref={field}
        dir="auto"
        rows={2}
        aria-label={`Comment on ${spot.path}, line ${spot.line}`}
        placeholder="What should be different here?"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") actions.wrote(spot, text.value.trim() ? text.value : undefined);
          else save(event);
        }}
      />
      <div class="card-actions">
        <button type="button" class="button quiet" onClick={() => actions.wrote(spot, undefined)}>
          Cancel
        </button>
        <button type="button" class="button" disabled={text.value.trim() === ""} onClick={keep}>
          Keep comment <kbd>{modKey}↵</kbd>
        </button>
      </div>
    </div>
  );
}
