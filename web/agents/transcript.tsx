/** [Q9] A sub-agent as it works: its prompt, the tools it used and what they said, its output, its final message. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Task, type TranscriptEntry, tasks } from "../data/tasks.ts";
import { Markdown } from "../documents/lazy.tsx";
import { attempt } from "../ui/attempt.ts";
import { BackButton } from "../ui/columns.tsx";
import { Face } from "../ui/face.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age, span } from "../ui/time.tsx";
import { ResumeButton } from "./resume-button.tsx";

export function Transcript({ task }: { task: Task }) {
  const log = useSignal<readonly TranscriptEntry[]>([]);
  const ended = useSignal(false);
  const body = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const ending = new AbortController();
    const follow = async () => {
      let after = 0;
      while (!ending.signal.aborted) {
        try {
          const page = await tasks.log(task.name, after, ending.signal);
          after = page.next;
          if (page.entries.length) log.value = [...log.peek(), ...page.entries];
          if (page.ended && !page.entries.length) {
            ended.value = true;
            return;
          }
        } catch {
          if (ending.signal.aborted) return;
          await new Promise((done) => setTimeout(done, 1000));
        }
      }
    };
    void follow();
    return () => ending.abort();
  }, [task.name, task.attempt, log, ended]);
  // Who reads at the end stays there; who has scrolled up is left alone.
  useEffect(() => {
    if (atEnd.current && body.current) body.current.scrollTop = body.current.scrollHeight;
  });
  const running = task.status === "running";
  const took = task.startedAt
    ? Date.parse(task.finishedAt ?? new Date().toISOString()) - Date.parse(task.startedAt)
    : 0;
  return (
    <article class="entry-detail" aria-label={task.name}>
      <header class="detail-header">
        <BackButton tab="agents" />
        <Face name={task.name} />
        <div class="detail-title">
          <h1>{task.name}</h1>
          <p>
            {[task.profile, task.model].filter(Boolean).join(" · ") || "default profile"} · for {task.parent}
            {task.startedAt && (
              <>
                {" · "}
                {running ? (
                  <>
                    started <Age at={task.startedAt} />
                  </>
                ) : (
                  `took ${span(took)}`
                )}
              </>
            )}
          </p>
        </div>
        <StatusTag status={task.status === "finished" ? (task.success ? "done" : "failed") : task.status} />
        <ResumeButton task={task} />
        {running && (
          <button
            type="button"
            class="button quiet danger"
            onClick={() => void attempt(() => tasks.kill(task), `Killed ${task.name}`)}
          >
            <Icon name="stop" /> Kill
          </button>
        )}
      </header>
      <div
        class="detail-body transcript"
        ref={body}
        tabIndex={0}
        role="log"
        aria-label={`Transcript of ${task.name}`}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
        }}
      >
        {!log.value.some(({ kind }) => kind === "prompt") && (
          <Piece entry={{ n: 0, at: task.createdAt, kind: "prompt", text: task.summary }} />
        )}
        {joined(log.value).map((entry) => (
          <Piece key={entry.n} entry={entry} />
        ))}
        {task.error && log.value.findLast(({ kind }) => kind === "error")?.text !== task.error && (
          <p class="gone">
            <Icon name="warning" /> {task.error}
          </p>
        )}
        {running && <p class="hint working">working …</p>}
      </div>
    </article>
  );
}

/** What a program printed came in pieces of any length; what an agent said did not. The first piece gives it its place. */
function joined(log: readonly TranscriptEntry[]): TranscriptEntry[] {
  const whole: TranscriptEntry[] = [];
  for (const entry of log) {
    const before = whole.at(-1);
    const printed = ["output", "stderr", "error"].includes(entry.kind);
    const goesOn = before?.kind === entry.kind && (before.open || (printed && before.text.endsWith("\n")));
    if (goesOn && before.text.length < longestPiece)
      whole[whole.length - 1] = { ...entry, n: before.n, text: before.text + entry.text };
    else whole.push(entry);
  }
  return whole;
}

/** Past this a piece begins anew: drawing the whole again for every line would take ever longer. */
const longestPiece = 20_000;

const looks: Record<TranscriptEntry["kind"], { icon: IconName; name: string }> = {
  prompt: { icon: "pen", name: "Prompt" },
  tool: { icon: "tool", name: "Tool" },
  response: { icon: "reply", name: "Answer" },
  output: { icon: "code", name: "Output" },
  stderr: { icon: "warning", name: "stderr" },
  error: { icon: "warning", name: "Error" },
  notice: { icon: "clock", name: "Notice" },
  final: { icon: "check", name: "Final message" },
};

function Piece({ entry }: { entry: TranscriptEntry }) {
  const { icon, name } = looks[entry.kind];
  const prose = entry.kind === "prompt" || entry.kind === "final";
  const long = entry.text.length > 600 || entry.text.split("\n").length > 8;
  const text = <pre tabIndex={0}>{entry.text}</pre>;
  return (
    <section class="piece" data-kind={entry.kind} aria-label={name}>
      <h2>
        <Icon name={icon} /> {entry.tool ?? name}
      </h2>
      {prose ? (
        <Markdown text={entry.text} folder="" />
      ) : long && (entry.kind === "response" || entry.kind === "tool") ? (
        <details>
          <summary>{entry.text.split("\n")[0]!.slice(0, 160)}</summary>
          {text}
        </details>
      ) : (
        text
      )}
    </section>
  );
}
