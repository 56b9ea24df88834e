/** What the palette offers for the text that is typed. */
import type { ComponentChildren } from "preact";
import { placeOf, type SearchHit } from "../data/search.ts";
import { plainSnippet, plainTitle } from "../documents/plain-text.ts";
import { go } from "../router.ts";
import type { IconName } from "../ui/icon.tsx";
import { Age } from "../ui/time.tsx";
import { commands, fits } from "./commands.ts";
import { Marked } from "./marked.tsx";
import { slashCommands } from "./slash.ts";

export interface Item {
  key: string;
  group: string;
  icon: IconName;
  /** What the Tab key puts into the field. */
  fill?: string;
  run(): void;
  children: ComponentChildren;
}

const hitIcons: Record<SearchHit["kind"], IconName> = {
  entries: "inbox",
  threads: "threads",
  messages: "channels",
};

export const hitItems = (hits: readonly SearchHit[], close: () => void) =>
  hits.map(
    (hit): Item => ({
      key: `${hit.kind} ${hit.id}`,
      group: "Results",
      icon: hitIcons[hit.kind],
      run() {
        go(placeOf(hit));
        close();
      },
      children: <Hit hit={hit} />,
    }),
  );

/** A message's or a thread's title may be its whole text: then it is shown once, and below it whose it is. */
function Hit({ hit }: { hit: SearchHit }) {
  const { title, snippet, sender, channel, threadId, ts } = hit;
  const titleIsText = snippet.text.startsWith(title.slice(0, 40));
  const way = sender !== null && channel !== null && `${sender} → ${channel}`;
  const whose = [way, threadId].filter(Boolean).join(" · ");
  const marked = <Marked {...plainSnippet(snippet)} />;
  return (
    <span class="hit">
      <span class="hit-title">{titleIsText ? marked : plainTitle(title)}</span>
      <span class="hit-snippet">{titleIsText ? whose : marked}</span>
      <span class="hint">
        <Age at={ts} />
      </span>
    </span>
  );
}

export const commandItems = (words: string, close: () => void) =>
  commands()
    .filter(({ name }) => fits(name, words))
    .map(
      ({ icon, name, keys, run }): Item => ({
        key: name,
        group: "Commands",
        icon,
        run() {
          close();
          run();
        },
        children: (
          <>
            <span class="grow">{name}</span>
            {keys?.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </>
        ),
      }),
    );

export const slashItems = (words: string, run: (typed: string) => void) =>
  slashCommands
    .filter(({ name }) => name.startsWith(words.split(/\s/)[0]!) || words.startsWith(`${name} `))
    .map(
      ({ name, usage, help }): Item => ({
        key: name,
        group: "Slash commands, run as the main agent",
        icon: "code",
        fill: `${name} `,
        run: () => run(words.startsWith(name) ? words : name),
        children: (
          <>
            <code>{usage}</code> <span class="hint">{help}</span>
          </>
        ),
      }),
    );
