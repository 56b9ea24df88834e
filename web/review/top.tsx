/** Above the files: what the last merge came to, what a reviewer found, the commits and the list of files. */
import { useSignal } from "@preact/signals";
import type { Review } from "../../src/contract/review.ts";
import type { Diff } from "../data/review.ts";
import type { Task } from "../data/tasks.ts";
import { LinkButton } from "../ui/link-button.tsx";
import { Findings } from "./findings.tsx";
import { OutcomePanel } from "./outcome.tsx";
import type { FilePatch } from "./patch.ts";
import { Changed } from "./patch-row.tsx";

interface Props {
  task: Task;
  diff: Diff;
  files: readonly FilePatch[];
  review: Review | null;
  onFile(path: string): void;
}

export const Top = ({ task, diff, files, review, onFile }: Props) => (
  <div class="patch-top">
    <OutcomePanel task={task} />
    {review && <Findings review={review} onFile={onFile} />}
    <p class="hint">
      <code>{diff.branch}</code>
      {task.worktree?.into != null && (
        <>
          , from <code>{task.worktree.into}</code>
        </>
      )}{" "}
      at <code>{diff.base.slice(0, shortCommit)}</code>
      {task.status !== "finished" && ". It is still working: this is what there is so far"}.
    </p>
    <Commits commits={diff.commits} />
    <Files diff={diff} files={files} onFile={onFile} />
  </div>
);

const shortCommit = 8;

function Commits({ commits }: Pick<Diff, "commits">) {
  if (!commits.length) return <p class="hint">Nothing is committed yet; this is how its files are now.</p>;
  return (
    <ol class="commits" aria-label="Commits">
      {commits.map(({ commit, subject }) => (
        <li key={commit}>
          <code>{commit.slice(0, shortCommit)}</code> {subject}
        </li>
      ))}
    </ol>
  );
}

/** As many are listed at first. */
const fewFiles = 12;

function Files({ diff, files, onFile }: Pick<Props, "diff" | "files" | "onFile">) {
  const all = useSignal(false);
  const known = new Set(files.flatMap(({ path, oldPath = path }) => [path, oldPath]));
  /** The patch is cut: these are not in it. */
  const further = diff.changes.filter(({ path }) => !known.has(path));
  const shown = all.value ? files : files.slice(0, fewFiles);
  const left = files.length - shown.length;
  return (
    <>
      <ul class="changed-files" aria-label="Files">
        {shown.map((file) => (
          <li key={file.path}>
            <button type="button" class="line-button" onClick={() => onFile(file.path)}>
              <span class="patch-path">{file.path}</span>
              {file.binary ? <span class="changed">binary</span> : <Changed {...file} />}
            </button>
          </li>
        ))}
      </ul>
      {left > 0 && (
        <p>
          <LinkButton
            onClick={() => {
              all.value = true;
            }}
          >
            Show all {files.length} files
          </LinkButton>
        </p>
      )}
      {diff.cut && (
        <p class="gone" role="status">
          The patch is longer than what is shown here
          {further.length > 0 &&
            `; ${further.length === 1 ? "1 file is" : `${further.length} files are`} missing`}
          . All of it:{" "}
          <code>
            git diff {diff.base.slice(0, shortCommit)} {diff.branch}
          </code>
        </p>
      )}
    </>
  );
}
