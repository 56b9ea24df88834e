/** What is open on the right of every tab: a header, a body, and below it a place to write. */
import type { ComponentChildren } from "preact";
import type { Loaded } from "../data/store.ts";
import { go, type Tab } from "../router.ts";
import { tabNames } from "../tabs.ts";
import { copy } from "./copy.ts";
import { Empty, Trouble } from "./empty.tsx";
import { Face } from "./face.tsx";
import { Icon } from "./icon.tsx";
import { IconButton } from "./icon-button.tsx";

interface HeaderProps {
  tab: Tab;
  /** Whose face is drawn beside the title. */
  face?: string;
  title: string;
  /** The second line. */
  more: ComponentChildren;
  /** Buttons and tags on the right. */
  children?: ComponentChildren;
}

export const DetailHeader = ({ tab, face, title, more, children }: HeaderProps) => (
  <header class="detail-header">
    <button type="button" class="icon-button back" aria-label="Back to the list" onClick={() => go({ tab })}>
      <Icon name="back" />
    </button>
    {face !== undefined && <Face name={face} />}
    <div class="detail-title">
      <h1 title={title}>{title}</h1>
      <p>{more}</p>
    </div>
    {children}
    <IconButton icon="link" label="Copy link" onClick={() => void copy(location.href, "Link copied")} />
  </header>
);

/** The parts of an address that name nothing the hub knows. */
const namesNothing = new Set(["not_found", "invalid_input"]);

/** While there is nothing to show: still loading, not there, or why it could not be loaded. */
export function NotLoaded({ tab, noun, id, problem, retry }: MissingProps & Omit<Loaded<unknown>, "value">) {
  if (!problem) return <div class="waiting" aria-busy="true" />;
  if (namesNothing.has(problem.code ?? "")) return <Missing tab={tab} noun={noun} id={id} />;
  return <Trouble {...problem} retry={retry} />;
}

interface MissingProps {
  tab: Tab;
  noun: string;
  id: string;
}

export const Missing = ({ tab, noun, id }: MissingProps) => (
  <Empty
    icon={tab}
    title={`There is no ${noun} ${id}`}
    action={{ label: `Back to ${tabNames[tab]}`, run: () => go({ tab }) }}
  >
    It was deleted, or the address is wrong.
  </Empty>
);
