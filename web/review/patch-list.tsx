/** A patch of any length: only the rows in view are in the document. The keyboard walks over its lines and files. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { VList, type VListHandle } from "virtua";
import type { Spot } from "./comments.ts";
import { type DiffActions, Row } from "./patch-row.tsx";
import type { DiffRow } from "./rows.ts";

interface Props {
  rows: readonly DiffRow[];
  actions: DiffActions;
  top: ComponentChildren;
  /** Given a way to bring a file into view. */
  handle: { current?: (path: string) => void };
}

export const hasCursor = (row: DiffRow): row is Extract<DiffRow, { spot: Spot } | { is: "file" }> =>
  row.is === "line" || row.is === "pair" || row.is === "file";

export function DiffList({ rows, actions, top, handle }: Props) {
  const list = useRef<VListHandle>(null);
  const current = useSignal<string | undefined>(undefined);
  const above = useSignal<string | undefined>(undefined);
  const show = (at: number, align: "start" | "nearest") => list.current?.scrollToIndex(at, { align });
  handle.current = (path) => {
    const at = rows.findIndex((row) => row.is === "file" && row.file.path === path);
    if (at < 0) return;
    current.value = rows[at]!.key;
    show(at, "start");
  };
  const keys = useKeysOn(rows, current, { show, actions });
  const onScroll = (offset: number) => {
    const row = rows[list.current?.findItemIndex(offset) ?? 0];
    above.value = row?.is === "file" ? undefined : row?.file?.path;
  };
  return (
    <div class="patch-place">
      {above.value !== undefined && (
        <p class="patch-above" aria-hidden="true">
          {above.value}
        </p>
      )}
      <VList
        ref={list as never}
        data={rows as DiffRow[]}
        onScroll={onScroll}
        bufferSize={400}
        className="detail-body patch"
        tabIndex={0}
        role="region"
        aria-label="Changes"
        onKeyDown={keys as never}
      >
        {
          ((row: DiffRow): JSX.Element => (
            // biome-ignore lint/a11y: where there is no pointer that hovers, a tap shows the button; keys do it elsewhere
            <div
              key={row.key}
              onClick={() => {
                if (row.is === "line" || row.is === "pair") current.value = row.key;
              }}
            >
              <Row row={row} current={row.key === current.value} actions={actions} top={top} />
            </div>
          )) as never
        }
      </VList>
    </div>
  );
}

interface Acting {
  show(at: number, align: "start" | "nearest"): void;
  actions: DiffActions;
}

function useKeysOn(
  rows: readonly DiffRow[],
  current: { value: string | undefined },
  { show, actions }: Acting,
): (event: KeyboardEvent) => void {
  const place = () => rows.findIndex((row) => row.key === current.value);
  const move = (step: 1 | -1, which: (row: DiffRow) => boolean, align: "start" | "nearest") => {
    for (let at = place() + step; at >= 0 && at < rows.length; at += step)
      if (which(rows[at]!)) {
        current.value = rows[at]!.key;
        return show(at, align);
      }
    if (step < 0) show(0, "start");
  };
  const isFile = (row: DiffRow) => row.is === "file";
  const act: Record<string, () => void> = {
    j: () => move(1, hasCursor, "nearest"),
    ArrowDown: () => move(1, hasCursor, "nearest"),
    k: () => move(-1, hasCursor, "nearest"),
    ArrowUp: () => move(-1, hasCursor, "nearest"),
    n: () => move(1, isFile, "start"),
    p: () => move(-1, isFile, "start"),
    c: () => onRow((row) => "spot" in row && actions.write?.(row.spot)),
    Enter: () =>
      onRow((row) =>
        row.is === "file" ? actions.fold(row.file) : "spot" in row && actions.write?.(row.spot),
      ),
  };
  const onRow = (run: (row: DiffRow) => unknown) => {
    const row = rows[place()];
    if (row) run(row);
  };
  return (event) => {
    const on = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || on.closest("textarea, input, button, a, summary"))
      return;
    const run = act[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
}
