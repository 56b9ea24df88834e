/** One field for everything: search, commands by name, and slash commands. */
import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { problemOf } from "../data/api.ts";
import { find, placeOf, type SearchHit } from "../data/search.ts";
import { go } from "../router.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Age } from "../ui/time.tsx";
import { commands, fits } from "./commands.ts";
import { Marked } from "./marked.tsx";
import { slashCommands } from "./slash.ts";

const open = signal<string | undefined>();

export function openPalette(text: string): void {
  open.value = text;
}

interface Item {
  key: string;
  group: string;
  icon: IconName;
  /** Where typing it out helps: what the field becomes. */
  fill?: string;
  run(): void;
  children: ComponentChildren;
}

const hitIcons: Record<SearchHit["kind"], IconName> = {
  entries: "inbox",
  threads: "threads",
  messages: "channels",
};

/** A message's or a thread's title may be all it says: then it is said once, and below it whose it is. */
const titled = ({ title, snippet }: SearchHit) => snippet.text.startsWith(title.slice(0, 40));
const whose = ({ sender, channel, threadId }: SearchHit) =>
  sender !== null && channel !== null ? `${sender} → ${channel}` : (threadId ?? "");

export function Palette() {
  if (open.value === undefined) return null;
  return (
    <PaletteDialog
      start={open.value}
      onClose={() => {
        open.value = undefined;
      }}
    />
  );
}

function PaletteDialog({ start, onClose }: { start: string; onClose(): void }) {
  const text = useSignal(start);
  const hits = useSignal<readonly SearchHit[]>([]);
  const lines = useSignal<{ text: string[]; bad?: boolean } | undefined>(undefined);
  const busy = useSignal(false);
  const at = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const waiting = useRef<AbortController | undefined>(undefined);
  const words = text.value.trim();
  const slash = words.startsWith("/");

  useEffect(() => () => waiting.current?.abort(), []);
  useEffect(() => {
    at.value = 0;
    if (slash || words.length < 2) {
      hits.value = [];
      return;
    }
    const ending = new AbortController();
    const timer = setTimeout(
      () =>
        void find(words, ending.signal).then(
          (found) => {
            hits.value = found;
          },
          () => {}, // typed on, or away
        ),
      60,
    );
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [words, slash, hits, at]);

  const runSlash = async (typed: string) => {
    const [name, ...rest] = typed.split(/\s+/);
    const command = slashCommands.find((one) => one.name === name);
    if (!command) {
      lines.value = {
        text: [`There is no ${name}. There are ${slashCommands.map((one) => one.name).join(", ")}.`],
        bad: true,
      };
      return;
    }
    waiting.current?.abort();
    const ending = new AbortController();
    waiting.current = ending;
    busy.value = true;
    lines.value = undefined;
    try {
      lines.value = {
        text: await command.run(typed.slice(name!.length).trim() || rest.join(" "), ending.signal),
      };
      text.value = "";
    } catch (error) {
      if (ending.signal.aborted) return;
      const { message, hint } = problemOf(error);
      lines.value = { text: [message, ...(hint ? [hint] : [])], bad: true };
    }
    busy.value = false;
  };

  const items: Item[] = slash
    ? slashCommands
        .filter(({ name }) => name.startsWith(words.split(/\s/)[0]!) || words.startsWith(`${name} `))
        .map(({ name, usage, help }) => ({
          key: name,
          group: "Commands of the main agent",
          icon: "code",
          fill: `${name} `,
          run: () => void runSlash(words.startsWith(name) ? words : name),
          children: (
            <>
              <code>{usage}</code> <span class="hint">{help}</span>
            </>
          ),
        }))
    : [
        ...hits.value.map(
          (hit): Item => ({
            key: `${hit.kind} ${hit.id}`,
            group: "Found",
            icon: hitIcons[hit.kind],
            run: () => {
              go(placeOf(hit));
              onClose();
            },
            children: (
              <span class="hit">
                <span class="hit-title">{titled(hit) ? <Marked {...hit.snippet} /> : hit.title}</span>
                <span class="hit-snippet">{titled(hit) ? whose(hit) : <Marked {...hit.snippet} />}</span>
                <span class="hint">
                  <Age at={hit.ts} />
                </span>
              </span>
            ),
          }),
        ),
        ...commands()
          .filter(({ name }) => fits(name, words))
          .map(
            ({ icon, name, keys, run }): Item => ({
              key: name,
              group: "Commands",
              icon,
              run: () => {
                onClose();
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
          ),
      ];

  const keys = (event: KeyboardEvent) => {
    const step =
      event.key === "ArrowDown" || (event.ctrlKey && event.key === "n")
        ? 1
        : event.key === "ArrowUp" || (event.ctrlKey && event.key === "p")
          ? -1
          : 0;
    if (step) {
      event.preventDefault();
      at.value = Math.max(0, Math.min(items.length - 1, at.value + step));
      list.current?.querySelectorAll(".option")[at.value]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Tab" && items[at.value]?.fill && !event.shiftKey) {
      event.preventDefault();
      text.value = items[at.value]!.fill!;
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (slash && /^\/\w+/.test(words) && !items.length) void runSlash(words);
      else items[Math.min(at.value, items.length - 1)]?.run();
    }
  };
  const chosen = Math.min(at.value, items.length - 1);
  return (
    <Dialog label="Search and commands" class="palette" onClose={onClose}>
      <div class="palette-field">
        <Icon name={slash ? "code" : "search"} />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={items.length ? `option-${chosen}` : undefined}
          aria-label="Search, or a command"
          placeholder="Search, or type / for commands"
          autoComplete="off"
          spellcheck={false}
          autofocus
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            lines.value = undefined;
          }}
          onKeyDown={keys}
        />
        {busy.value && <span class="hint">waiting …</span>}
      </div>
      {lines.value && (
        <pre class="palette-answer" data-bad={lines.value.bad} role="status" tabIndex={0}>
          {lines.value.text.join("\n")}
        </pre>
      )}
      <div class="palette-list" id="palette-list" role="listbox" aria-label="What fits" ref={list}>
        {items.map((item, i) => (
          <div key={item.key} role="presentation">
            {item.group !== items[i - 1]?.group && (
              <p class="palette-group" role="presentation">
                {item.group}
              </p>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, as for every combobox */}
            <div
              id={`option-${i}`}
              class="option"
              role="option"
              aria-selected={i === chosen}
              onClick={item.run}
              onMouseMove={() => {
                at.value = i;
              }}
            >
              <Icon name={item.icon} />
              {item.children}
            </div>
          </div>
        ))}
        {!items.length && <p class="palette-group">Nothing fits.</p>}
      </div>
      <footer class="palette-foot">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>↵</kbd> open
        </span>
        <span>
          <kbd>/</kbd> slash commands
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </footer>
    </Dialog>
  );
}
