/** What the palette offers for the text that is typed. */
import type { ComponentChildren } from "preact";
import { agents } from "../data/agents.ts";
import { channels } from "../data/channels.ts";
import { placeOf, type SearchHit } from "../data/search.ts";
import { queue } from "../data/tasks.ts";
import { plainSnippet, plainTitle } from "../documents/plain-text.ts";
import { go, type Place } from "../router.ts";
import type { IconName } from "../ui/icon.tsx";
import { Age } from "../ui/time.tsx";
import { type Command, commands, fits } from "./commands.ts";
import { Marked } from "./marked.tsx";
import { openCommands } from "./open-commands.ts";
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

/** Agents, tasks, channels and workspaces by name. */
export const placeItems = (words: string, close: () => void) =>
  words.length < 2
    ? []
    : places()
        .filter(({ name }) => fits(name, words))
        .slice(0, 8)
        .map(
          ({ icon, name, kind, to }): Item => ({
            key: `${kind} ${name}`,
            group: "Go to",
            icon,
            run() {
              close();
              go(to);
            },
            children: (
              <>
                <span class="grow">{name}</span>
                <span class="hint">{kind}</span>
              </>
            ),
          }),
        );

interface Named {
  icon: IconName;
  name: string;
  kind: string;
  to: Place;
}

function places(): Named[] {
  const { running = [], queued = [], finished = [] } = queue.value.value ?? {};
  const names = new Set<string>();
  const known: Named[] = [];
  const add = (kind: string, icon: Named["icon"], name: string, to: Place) => {
    if (names.has(`${to.tab} ${name}`)) return;
    names.add(`${to.tab} ${name}`);
    known.push({ icon, name, kind, to });
  };
  for (const { name } of agents.value.value ?? []) add("agent", "agents", name, { tab: "agents", id: name });
  for (const { name, status } of [...running, ...queued, ...finished])
    add(`${status} task`, "queue", name, { tab: "queue", id: name });
  for (const { name } of channels.value.value ?? [])
    add("channel", "channels", name, { tab: "channels", id: name });
  return known;
}

export const openItems = (words: string, close: () => void) =>
  openCommands.value
    .filter(({ name }) => fits(name, words))
    .map((command) => commandItem(command, "What is open", close));

const commandItem = ({ icon, name, keys, run }: Command, group: string, close: () => void): Item => ({
  key: `${group} ${name}`,
  group,
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
});

export const commandItems = (words: string, close: () => void) =>
  commands()
    .filter(({ name }) => fits(name, words))
    .map((command) => commandItem(command, "Commands", close));

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
