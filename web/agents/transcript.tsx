/** [Q9] A sub-agent as it works: its prompt, the tools it used and what they said, its output, its final message. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sendTo } from "../data/agents.ts";
import type { Task } from "../data/tasks.ts";
import { type TranscriptEntry, useTranscript } from "../data/transcript.ts";
import { Markdown } from "../documents/lazy.tsx";
import { attempt } from "../ui/attempt.ts";
import { Letter } from "../ui/composer.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

export function Transcript({ task }: { task: Task }) {
  const { entries, problem } = useTranscript(task.name, task.attempt);
  const body = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // Who reads at the end stays there; who has scrolled up is left alone.
  useEffect(() => {
    if (atEnd.current && body.current) body.current.scrollTop = body.current.scrollHeight;
  });
  return (
    <>
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
        {!entries.some(({ kind }) => kind === "prompt") && (
          <Piece entry={{ n: 0, at: task.createdAt, kind: "prompt", text: task.summary }} />
        )}
        {joined(entries).map((entry) => (
          <Piece key={entry.n} entry={entry} />
        ))}
        {task.error && entries.findLast(({ kind }) => kind === "error")?.text !== task.error && (
          <Failure>{task.error}</Failure>
        )}
        {problem && <Failure>The transcript cannot be loaded: {problem.message}</Failure>}
        {task.status === "running" && <p class="hint working">Running …</p>}
      </div>
      <Letter
        to={task.name}
        verb="Write to"
        draft={`agent ${task.name}`}
        onSend={(text) => attempt(() => sendTo(task.name, text), `Sent to ${task.name}`)}
      />
    </>
  );
}

const Failure = ({ children }: { children: ComponentChildren }) => (
  <p class="gone" role="alert">
    <Icon name="warning" /> <span>{children}</span>
  </p>
);

/** What a program prints comes in pieces of any length, which are joined; what an agent says is whole. */
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

/** A piece that is longer is not added to: drawing the whole again for every line would take longer and longer. */
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
