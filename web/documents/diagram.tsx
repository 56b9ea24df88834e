/**
 * A diagram. It is drawn in a frame that has no origin (web/frame/diagram.ts), and shown as an image made from what came
 * back: an image runs no script and loads nothing.
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { dark } from "../theme.ts";

type Answer = { id: number; svg?: string; problem?: string };

const waiting = new Map<number, (answer: Answer) => void>();
let count = 0;
let frame: Promise<HTMLIFrameElement> | undefined;

function open(): Promise<HTMLIFrameElement> {
  frame ??= new Promise((ready) => {
    const made = document.createElement("iframe");
    made.sandbox.add("allow-scripts");
    made.title = "Diagrams";
    made.tabIndex = -1;
    made.ariaHidden = "true";
    made.className = "diagram-frame";
    addEventListener("message", ({ source, data }) => {
      if (source !== made.contentWindow || typeof data !== "object" || data === null) return;
      if (data.ready === true) ready(made);
      else if (typeof data.id === "number") waiting.get(data.id)?.(data);
    });
    made.src = "/diagrams";
    document.body.append(made);
  });
  return frame;
}

async function draw(source: string, inDark: boolean): Promise<Answer> {
  const drawer = await open();
  const id = ++count;
  return new Promise((done) => {
    waiting.set(id, (answer) => {
      waiting.delete(id);
      done(answer);
    });
    drawer.contentWindow!.postMessage({ id, source, dark: inDark }, "*");
  });
}

export function Diagram({ source }: { source: string }) {
  const image = useSignal<string | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const inDark = dark.value;
  useEffect(() => {
    let over = false;
    let url: string | undefined;
    void draw(source, inDark).then(({ svg, problem: why }) => {
      if (over) return;
      url =
        typeof svg === "string" ? URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })) : undefined;
      image.value = url;
      problem.value = url ? undefined : String(why ?? "the result is empty");
    });
    return () => {
      over = true;
      if (url) URL.revokeObjectURL(url);
    };
  }, [source, inDark, image, problem]);
  if (problem.value !== undefined)
    return (
      <figure class="diagram">
        <pre tabIndex={0}>
          <code>{source}</code>
        </pre>
        <figcaption>This diagram cannot be drawn: {problem.value.split("\n")[0]}</figcaption>
      </figure>
    );
  return (
    <figure class="diagram" aria-busy={!image.value}>
      {image.value ? (
        <img src={image.value} alt={`Diagram: ${source.slice(0, 200)}`} />
      ) : (
        <span class="hint">Drawing the diagram …</span>
      )}
    </figure>
  );
}
