/** A document as it is now, shown by its kind; or why it cannot be shown. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { hasToken } from "../data/api.ts";
import { bytesOf, type DocumentState, documentAddress, type LastRead } from "../data/documents.ts";
import { useLoaded } from "../data/store.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

import { Age, fullTime } from "../ui/time.tsx";
import { say } from "../ui/toasts.tsx";
import { AsWritten } from "../ui/words.tsx";
import { Changes, HowMuch, useDifference } from "./changes.tsx";
import { Json } from "./json.tsx";
import { asText, extensionOf, type Kind, kindOf, languageOf, sizeText } from "./kinds.ts";
import { Code, Markdown } from "./lazy.tsx";
import { BytesImage } from "./picture.tsx";
import { Table } from "./table.tsx";

/** Larger ones are for a program made for them. */
const textLimit = 4_000_000;
const imageLimit = 50_000_000;

interface Props {
  entry: string;
  n: number;
  path: string;
  /** Unknown until the hub has said. */
  state?: DocumentState;
  /** [U15] What the person last read of it, and whether that is shown: what has changed since. */
  lastRead?: LastRead;
  changes?: boolean;
  onChanges?(): void;
}

const icons: Record<Kind, IconName> = {
  markdown: "file",
  table: "table",
  json: "code",
  image: "image",
  code: "code",
  download: "file",
  unknown: "file",
};

export function Document(props: Props) {
  const { path, state } = props;
  const kind = kindOf(path);
  const isText = state?.exists && !/^(image|download)$/.test(kind) && (state.size ?? 0) <= textLimit;
  if (isText) return <TextDocument {...props} state={state} kind={kind} />;
  return (
    <Framed {...props} kind={kind}>
      {state &&
        (state.exists ? <Body {...{ path, kind, state, address: addressOf(props) }} /> : <Gone {...state} />)}
    </Framed>
  );
}

const addressOf = ({ entry, n }: Props) => documentAddress(entry, n);

/** A document's header, with what can be done with it, and below it what it is unfolded to. */
function Framed({
  path,
  state,
  kind,
  shownAs = kind,
  children,
  tools,
  ...props
}: Props & { kind: Kind; shownAs?: Kind; children: ComponentChildren; tools?: ComponentChildren }) {
  const open = useSignal(true);
  return (
    <section class="document" aria-label={path}>
      <header class="document-header">
        <button
          type="button"
          class="icon-button fold"
          aria-expanded={open.value}
          aria-label={open.value ? `Fold ${path}` : `Unfold ${path}`}
          onClick={() => {
            open.value = !open.value;
          }}
        >
          <Icon name="chevron" />
        </button>
        <Icon name={icons[kind]} />
        <h2 title={path}>
          <bdi>{path}</bdi>
        </h2>
        {tools}
        {state?.exists && state.modifiedAt && (
          <span class="hint">
            edited <Age at={state.modifiedAt} />
          </span>
        )}
        {state?.exists && <Download address={addressOf({ path, ...props })} path={path} />}
      </header>
      {open.value && state && (
        <div class="document-body" data-kind={shownAs}>
          {children}
        </div>
      )}
    </section>
  );
}

const Gone = ({ problem, path }: DocumentState) => (
  <p class="gone">
    <Icon name="warning" />
    <span>
      <strong>{problem ?? "This document is missing."}</strong> {path} was moved or deleted after the entry
      was pushed. If it is restored, it appears here again.
    </span>
  </p>
);

function Body({
  path,
  kind,
  address,
  state,
}: {
  path: string;
  kind: Kind;
  address: string;
  state: DocumentState;
}) {
  if (kind === "image" && (state.size ?? 0) <= imageLimit)
    return <BytesImage address={address} alt={path} version={state.modifiedAt} />;
  return <Offer path={path} address={address} state={state} />;
}

/** The text of a document; undefined where its bytes are none. Another version is loaded while the last one is shown. */
function useText(address: string, { modifiedAt, size }: DocumentState) {
  return useLoaded(
    { fetch: async (signal) => ({ text: asText(await (await bytesOf(address, signal)).arrayBuffer()) }) },
    [address],
    `${modifiedAt} ${size}`,
  );
}

function TextDocument(props: Props & { kind: Kind; state: DocumentState }) {
  const { state, kind, lastRead, changes, onChanges } = props;
  const address = addressOf(props);
  const { value, problem } = useText(address, state);
  const difference = useDifference(lastRead?.text, value?.text);
  const shown = changes && difference;
  const asWritten = useSignal(false);
  const seen = difference && lastRead && (
    <button
      type="button"
      class="changes-button"
      aria-pressed={Boolean(changes)}
      title={`${changes ? "Show the document" : "Show what changed"} since you last read it, ${fullTime(Date.parse(lastRead.at))} (d)`}
      onClick={onChanges}
    >
      <HowMuch {...difference} />
      <span class="changes-words">since you last read it</span>
    </button>
  );
  const tools = (
    <>
      {seen}
      {/^(markdown|table|json)$/.test(kind) && value?.text !== undefined && !shown && (
        <AsWritten on={asWritten} />
      )}
    </>
  );
  const as = asWritten.value ? "code" : kind;
  return (
    <Framed {...props} kind={kind} shownAs={shown ? "code" : as} tools={tools}>
      {problem && <p class="gone">{problem.message}</p>}
      {!problem && !value && <div class="waiting" aria-busy="true" />}
      {!problem && shown && <Changes {...difference} />}
      {!problem && value && !shown && <Text {...props} kind={as} address={address} text={value.text} />}
    </Framed>
  );
}

function Text({
  entry,
  path,
  kind,
  address,
  state,
  text,
}: Omit<Props, "n"> & { kind: Kind; address: string; state: DocumentState; text: string | undefined }) {
  if (text === undefined) return <Offer path={path} address={address} state={state} />;
  if (kind === "markdown") return <Markdown text={text} entry={entry} folder={path.replace(/[^/]*$/, "")} />;
  if (kind === "table") return <Table text={text} tabs={extensionOf(path) === "tsv"} />;
  if (kind === "json") return <Json text={text} lines={/^(jsonl|ndjson)$/.test(extensionOf(path))} />;
  return (
    <pre tabIndex={0}>
      <Code text={text} language={languageOf(path)} />
    </pre>
  );
}

const Offer = ({ path, address, state }: { path: string; address: string; state: DocumentState }) => (
  <div class="offer">
    <Icon name="file" />
    <div>
      <strong>{path.replace(/^.*\//, "")}</strong>
      <p class="hint">
        {state.type ?? "unknown type"}, {sizeText(state.size ?? 0)}
      </p>
    </div>
    <Download address={address} path={path} words />
  </div>
);

function Download({ address, path, words = false }: { address: string; path: string; words?: boolean }) {
  const name = path.replace(/^.*\//, "");
  // A link of the browser's own carries no token: then the bytes are fetched here and handed over.
  const fetched = async (event: Event) => {
    if (!hasToken) return;
    event.preventDefault();
    try {
      const url = URL.createObjectURL(await bytesOf(address));
      const link = document.createElement("a");
      Object.assign(link, { href: url, download: name });
      link.click();
      URL.revokeObjectURL(url);
    } catch (error) {
      say({ text: (error as Error).message, tone: "bad" });
    }
  };
  return (
    <a
      class={words ? "button" : "icon-button"}
      href={address}
      download={name}
      aria-label={`Download ${name}`}
      title="Download"
      onClick={fetched}
    >
      <Icon name="download" />
      {words && "Download"}
    </a>
  );
}
