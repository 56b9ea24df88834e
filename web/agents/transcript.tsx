/**
 * [Q9] A sub-agent as it works: its prompt, the tools it used and what they said, its output, its final message. It opens at
 * its end; of a long one only what is in view is in the document, and what is before is loaded when it is scrolled to.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { VList, type VListHandle } from "virtua";
import { sendTo } from "../data/agents.ts";
import { asSentence, type Problem } from "../data/api.ts";
import type { Task } from "../data/tasks.ts";
import { type TranscriptEntry, useTranscript } from "../data/transcript.ts";
import type { Piece } from "../data/transcript-pieces.ts";
import { type Wait, waitingFor } from "../data/waits.ts";
import { Markdown } from "../documents/lazy.tsx";
import { spokenArguments } from "../documents/spoken-arguments.ts";
import { attempt } from "../ui/attempt.ts";
import { Letter } from "../ui/composer.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useWords } from "../ui/words.tsx";

type Row = Piece | { key: string; kind: "end"; shown: ComponentChildren };

/** Nearer to an edge than this counts as being there; what is before is loaded a little earlier. */
const nearPixels = 40;
const earlyPixels = 800;

interface Props {
  task: Task;
  prompt: string | undefined;
  /** What it has asked somebody. */
  wait: Wait | undefined;
}

export function Transcript({ task, prompt, wait }: Props) {
  const { pieces, begun, loaded, problem, earlier } = useTranscript(task.id, task.attempt);
  const rows: Row[] = [...withPrompt(pieces, begun, task), ...atEndOf(task, pieces, { problem, wait })];
  const { list, place, atEnd, toEnd, onScroll, shift } = useEnd(rows, earlier);
  return (
    <>
      {loaded && !begun && prompt !== undefined && <Prompt text={prompt} />}
      <div class="transcript-place" ref={place}>
        <VList
          ref={list as never}
          data={rows}
          shift={shift}
          onScroll={onScroll}
          bufferSize={500}
          className="detail-body transcript"
          tabIndex={0}
          role="log"
          aria-label={`Transcript of ${task.name}`}
          aria-busy={!loaded && !problem}
        >
          {
            ((row: Row): JSX.Element => (
              <div key={row.key} class="transcript-row" data-first={row.key === rows[0]?.key}>
                {row.kind === "end" ? row.shown : <PieceBlock entry={row} />}
              </div>
            )) as never
          }
        </VList>
        {!atEnd.value && (
          <button type="button" class="button to-end" onClick={toEnd}>
            <Icon name="down" /> To the end
          </button>
        )}
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

/** One that has not begun has no transcript yet: what it is to do is known all the same. */
const withPrompt = (
  pieces: readonly Piece[],
  begun: boolean,
  { createdAt, summary }: Task,
): readonly Piece[] =>
  begun && !pieces.some(({ kind }) => kind === "prompt")
    ? [{ key: -1, n: 0, at: createdAt, kind: "prompt", text: summary }, ...pieces]
    : pieces;

interface End {
  problem: Problem | undefined;
  wait: Wait | undefined;
}

function atEndOf(task: Task, pieces: readonly Piece[], { problem, wait }: End): Row[] {
  const told = pieces.findLast(({ kind }) => kind === "error")?.text === task.error;
  const row = (key: string, shown: ComponentChildren): Row => ({ key, kind: "end", shown });
  return [
    ...(task.error && !told ? [row("error", <Failure>{task.error}</Failure>)] : []),
    ...(problem
      ? [row("problem", <Failure>The transcript cannot be loaded: {problem.message}</Failure>)]
      : []),
    ...(task.status === "running"
      ? [row("running", <p class="hint working">{wait ? asSentence(waitingFor(wait)) : "Running"} …</p>)]
      : []),
  ];
}

/** Who reads at the end stays there; who has scrolled up is left alone, also when something comes before or after. */
function useEnd(rows: readonly Row[], earlier: () => void) {
  const list = useRef<VListHandle>(null);
  const place = useRef<HTMLDivElement>(null);
  const atEnd = useSignal(true);
  const was = useRef({ offset: 0, size: 0 });
  /** Whether there was input (wheel, touch, key, scroll bar) since the list was last scrolled to its end. */
  const touched = useRef(false);
  const scroller = () => place.current?.firstElementChild;
  // Not `scrollToIndex`: it scrolls again after every measurement, and would undo a scroll up by the reader.
  const toEnd = () => {
    atEnd.value = true;
    touched.current = false;
    const element = scroller();
    if (!element) return;
    element.scrollTo({ top: element.scrollHeight, behavior: "instant" });
    was.current = { offset: element.scrollTop, size: element.scrollHeight };
  };
  /** Measuring rows moves the view up by about as much as they turn out smaller: only a longer way up means that the reader has left. */
  const hasLeft = (offset: number, size: number) => {
    const { offset: before, size: sizeBefore } = was.current;
    const tolerance = size === sizeBefore ? 0 : nearPixels;
    const slack = touched.current ? tolerance : (list.current?.viewportSize ?? 0);
    // Measuring never leads to the very beginning.
    return (offset === 0 && before > 0) || before - offset > Math.max(0, sizeBefore - size) + slack;
  };
  /** Stays at the end, unless the reader has just scrolled up and the event has yet to come. */
  const stay = () => {
    const { scrollTop = 0, scrollHeight = 0 } = scroller() ?? {};
    if (atEnd.peek() && !hasLeft(scrollTop, scrollHeight)) toEnd();
  };
  const look = (offset?: number) => {
    const { scrollOffset = 0, scrollSize = 0, viewportSize = 0 } = list.current ?? {};
    // The list learns of a scroll with the next frame. Its older offset would load one earlier page after the other.
    const top =
      offset ?? (atEnd.peek() ? scrollSize - viewportSize : (scroller()?.scrollTop ?? scrollOffset));
    if (viewportSize && top < earlyPixels) earlier();
    return scrollSize - scrollOffset - viewportSize < nearPixels;
  };
  const first = useRef<Row["key"]>(undefined);
  const shift = first.current !== undefined && first.current !== rows[0]?.key;
  useLayoutEffect(() => {
    first.current = rows[0]?.key;
  });
  useEffect(() => {
    stay();
    look();
  }, [rows.length, rows.at(-1)]);
  // A document that is drawn later makes it longer.
  useEffect(() => {
    const inside = scroller()?.firstElementChild;
    if (!inside) return;
    const observer = new ResizeObserver(stay);
    observer.observe(inside);
    const touch = () => {
      touched.current = true;
    };
    const inputs = ["wheel", "touchmove", "keydown", "pointerdown"];
    for (const kind of inputs) place.current!.addEventListener(kind, touch, { passive: true });
    return () => {
      observer.disconnect();
      for (const kind of inputs) place.current?.removeEventListener(kind, touch);
    };
  }, []);
  const onScroll = (offset: number) => {
    const size = list.current?.scrollSize ?? 0;
    const left = hasLeft(offset, size);
    was.current = { offset, size };
    if (look(offset)) atEnd.value = true;
    else if (left) atEnd.value = false;
  };
  return { list, place, atEnd, toEnd, onScroll, shift };
}

/** While the beginning is far away. */
const Prompt = ({ text }: { text: string }) => (
  <details class="prompt-above">
    <summary>
      <strong>Prompt</strong> {text.split("\n")[0]}
    </summary>
    <div class="prompt-text" tabIndex={0} role="region" aria-label="Prompt">
      <Markdown text={text} message />
    </div>
  </details>
);

const Failure = ({ children }: { children: ComponentChildren }) => (
  <p class="gone" role="alert">
    <Icon name="warning" /> <span>{children}</span>
  </p>
);

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

const message: { icon: IconName; name: string } = { icon: "threads", name: "Message" };

/** What a program prints comes in lines, or goes on; what a model says is whole, and may be Markdown. */
const isSaid = ({ kind, text, open }: TranscriptEntry) => kind === "output" && !open && !text.endsWith("\n");

function PieceBlock({ entry }: { entry: TranscriptEntry }) {
  const said = isSaid(entry);
  const { icon, name } = said ? message : looks[entry.kind];
  const prose = said || entry.kind === "prompt" || entry.kind === "final";
  const words = entry.kind === "tool" ? spokenArguments(entry.text) : entry.text;
  const long = words.length > 600 || words.split("\n").length > 8;
  const text = <pre tabIndex={0}>{words}</pre>;
  const { words: shown, toggle } = useWords(entry.text);
  return (
    <section class="piece" data-kind={entry.kind} aria-label={name}>
      <h2>
        <Icon name={icon} /> {entry.tool ?? name} {prose && toggle}
      </h2>
      {prose ? (
        shown
      ) : long && (entry.kind === "response" || entry.kind === "tool") ? (
        <details>
          <summary>{words.split("\n")[0]!.slice(0, 160)}</summary>
          {text}
        </details>
      ) : (
        text
      )}
    </section>
  );
}
