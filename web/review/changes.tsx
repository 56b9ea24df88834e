/** [U14] What a task has changed: files and lines, what the person says about them, and what becomes of it. */
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { plural } from "../../src/contract/plural.ts";
import type { Review } from "../../src/contract/review.ts";
import { type Diff, diffOf } from "../data/review.ts";
import { useLoaded } from "../data/store.ts";
import type { Task } from "../data/tasks.ts";
import { Composer } from "../ui/composer.tsx";
import { Empty, Trouble } from "../ui/empty.tsx";
import { Receiver } from "../ui/receiver.tsx";
import { commentsOn, dropComments, keepComment, keyOf, messageOf, type Spot } from "./comments.ts";
import { latest } from "./findings.tsx";
import { splitShown } from "./layout.ts";
import { keepOthers } from "./others.tsx";
import { type FilePatch, parsePatch } from "./patch.ts";
import { DiffList } from "./patch-list.tsx";
import type { DiffActions } from "./patch-row.tsx";
import { rowsOf } from "./rows.ts";
import { sendBack } from "./send-back.ts";
import { Top } from "./top.tsx";

export function Changes({ task, review }: { task: Task; review: Review | null }) {
  const { value, problem, retry } = useLoaded(
    {
      fetch: async () => {
        const diff = await diffOf(task);
        keepOthers(task, diff.others);
        return diff;
      },
      changedBy: ({ eventType, payload }) => eventType.startsWith("task.") && payload.task === task.name,
    },
    [task.id],
    task.status,
  );
  if (!value)
    return problem ? (
      problem.code === "invalid_state" ? (
        <Empty icon="file" title="There are no changes to show">
          {problem.message}
        </Empty>
      ) : (
        <Trouble {...problem} retry={retry} />
      )
    ) : (
      <div class="detail-body" aria-busy="true" />
    );
  return <Shown task={task} diff={value} review={review} />;
}

/** Longer files are folded at first, and those that nobody wrote by hand. */
const longFile = 400;
const made = /(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|[\w.-]+\.lock|[\w.-]+\.min\.(js|css))$/;
const foldedAtFirst = ({ path, added, removed, change }: FilePatch) =>
  added + removed > longFile || made.test(path) || change === "deleted";

function Shown({ task, diff, review }: { task: Task; diff: Diff; review: Review | null }) {
  const files = useMemo(() => parsePatch(diff.patch), [diff.patch]);
  /** What was folded or unfolded by hand. */
  const turned = useSignal<ReadonlySet<string>>(new Set());
  const writing = useSignal<Spot | undefined>(undefined);
  const toFile = useRef<((path: string) => void) | undefined>(undefined);
  const comments = commentsOn(task.id);
  const folded = new Set(
    files.filter((file) => foldedAtFirst(file) !== turned.value.has(file.path)).map(({ path }) => path),
  );
  const rows = useMemo(
    () =>
      rowsOf({
        files,
        folded,
        comments,
        findings: review ? latest(review) : [],
        writing: writing.value,
        split: splitShown.value,
      }),
    [files, review, turned.value, JSON.stringify(comments), writing.value, splitShown.value],
  );
  const turn = (path: string) => {
    const next = new Set(turned.peek());
    if (!next.delete(path)) next.add(path);
    turned.value = next;
  };
  const actions: DiffActions = {
    fold: ({ path }) => turn(path),
    ...(task.status === "finished" && {
      write: (spot: Spot) => {
        writing.value = spot;
      },
    }),
    textAt: (spot) => comments.find((one) => keyOf(one) === keyOf(spot))?.text ?? "",
    wrote(spot, text) {
      writing.value = undefined;
      if (text !== undefined) keepComment(task.id, { ...spot, text, quote: lineAt(files, spot) });
      document.querySelector<HTMLElement>(".patch")?.focus({ preventScroll: true });
    },
  };
  return (
    <>
      <DiffList
        rows={rows}
        actions={actions}
        handle={toFile}
        top={
          <Top
            task={task}
            diff={diff}
            files={files}
            review={review}
            onFile={(path) => {
              if (folded.has(path)) turn(path);
              toFile.current?.(path);
            }}
          />
        }
      />
      {task.status === "finished" && <SendBack task={task} files={files} comments={comments.length} />}
    </>
  );
}

function lineAt(files: readonly FilePatch[], { path, side, line }: Spot): string | undefined {
  const file = files.find((one) => one.path === path);
  for (const hunk of file?.hunks ?? []) {
    const found = hunk.lines.find(
      (one) => one[side] === line && (side === "after" || one.kind === "removed"),
    );
    if (found) return found.text.trim().slice(0, 200);
  }
  return undefined;
}

interface SendBackProps {
  task: Task;
  files: readonly FilePatch[];
  /** How many are kept. */
  comments: number;
}

/** The comments and a word about all of it, as one message to its session. */
function SendBack({ task, files, comments }: SendBackProps) {
  const words = comments === 0 ? "" : ` ${plural(comments, "comment")}`;
  const send = async (text: string) => {
    const message = messageOf(
      text,
      commentsOn(task.id),
      files.map(({ path }) => path),
    );
    const done = await sendBack(task, message);
    if (done) dropComments(task.id);
    return done;
  };
  return (
    <Composer
      draft={`review of ${task.id}`}
      label={`Tell ${task.name} what to change`}
      button={`Send back${words}`}
      alone={comments > 0}
      receiver={<Receiver name={task.name} />}
      onSend={send}
    />
  );
}
