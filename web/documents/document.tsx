/** A document as it is now, shown by its kind; or why it cannot be shown. */
import { useSignal } from "@preact/signals";
import { hasToken } from "../data/api.ts";
import { bytesOf, type DocumentState, documentAddress } from "../data/documents.ts";
import { useLoaded } from "../data/store.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Age } from "../ui/time.tsx";
import { say } from "../ui/toasts.tsx";
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

export function Document({ entry, n, path, state }: Props) {
  const open = useSignal(true);
  const kind = kindOf(path);
  const address = documentAddress(entry, n);
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
        {state?.exists && state.modifiedAt && (
          <span class="hint">
            edited <Age at={state.modifiedAt} />
          </span>
        )}
        {state?.exists && <Download address={address} path={path} />}
      </header>
      {open.value && state && (
        <div class="document-body" data-kind={kind}>
          {state.exists ? <Body {...{ entry, n, path, kind, address, state }} /> : <Gone {...state} />}
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
  entry,
  path,
  kind,
  address,
  state,
}: Props & { kind: Kind; address: string; state: DocumentState }) {
  const size = state.size ?? 0;
  if (kind === "image" && size <= imageLimit)
    return <BytesImage address={address} alt={path} version={state.modifiedAt} />;
  if (kind === "download" || size > textLimit) return <Offer path={path} address={address} state={state} />;
  return <Text {...{ entry, path, kind, address, state }} />;
}

/** The text of a document; undefined where its bytes are none. Another version is loaded while the last one is shown. */
function useText(address: string, { modifiedAt, size }: DocumentState) {
  return useLoaded(
    { fetch: async (signal) => ({ text: asText(await (await bytesOf(address, signal)).arrayBuffer()) }) },
    [address],
    `${modifiedAt} ${size}`,
  );
}

function Text({
  entry,
  path,
  kind,
  address,
  state,
}: Omit<Props, "n"> & { kind: Kind; address: string; state: DocumentState }) {
  const { value, problem } = useText(address, state);
  if (problem) return <p class="gone">{problem.message}</p>;
  if (!value) return <div class="waiting" aria-busy="true" />;
  const { text } = value;
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
