/** The keyboard. The last layer that was put on top and knows a key has it; what is typed into a field is the field's. */
import { useLayoutEffect, useRef } from "preact/hooks";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

interface Layer {
  keys: () => Keys;
  /** Nothing below it hears anything, as under a dialog. */
  modal: boolean;
}

const layers: Layer[] = [];
/** The first key of two, and when it was pressed. */
let prefix: { name: string; at: number } | undefined;
/** The second key belongs to the first when it is pressed within this time. */
const sequenceMs = 1500;

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !/^(checkbox|radio|button)$/.test(target.type)));

/** `j`, `J` (with shift), `shift+Space`, `mod+k`, `g i` (one after the other). */
function nameOf(event: KeyboardEvent): string {
  const mod = event.metaKey || event.ctrlKey ? "mod+" : "";
  const alt = event.altKey ? "alt+" : "";
  if (event.key === " ") return `${mod}${alt}${event.shiftKey ? "shift+" : ""}Space`;
  return mod + alt + keyOf(event);
}

/** With Alt some keyboards write another letter: then it is the key that counts. */
function keyOf({ key, code, altKey, shiftKey }: KeyboardEvent): string {
  const letter = altKey && !/^[a-z]$/i.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
  return letter === undefined ? key : shiftKey ? letter : letter.toLowerCase();
}

function handlerOf(name: string): ((event: KeyboardEvent) => void) | undefined {
  for (const layer of layers.toReversed()) {
    const found = layer.keys()[name];
    if (found) return found;
    if (layer.modal) return undefined;
  }
  return undefined;
}

const isPrefix = (name: string) =>
  layers.some((layer) => Object.keys(layer.keys()).some((key) => key.startsWith(`${name} `)));

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const name = nameOf(event);
    if (typing(event.target) && !/^(mod\+k|alt\+[aA]|Escape)$/.test(name)) return;
    // A button that has the focus is pressed by Enter and Space, a link by Enter; a row of a list is opened already.
    if (/Enter$|Space$/.test(name) && (event.target as Element).closest?.("button, summary, input")) return;
    if (name === "Enter" && (event.target as Element).closest?.('a:not(.row-link[aria-current="true"])'))
      return;
    // By when the keys were pressed, not by when they are looked at: a page that was busy in between forgets nothing.
    const first = prefix && event.timeStamp - prefix.at < sequenceMs ? prefix.name : undefined;
    const sequence = first === undefined ? undefined : `${first} ${name}`;
    prefix = undefined;
    const handler = (sequence && handlerOf(sequence)) || handlerOf(name);
    if (handler) {
      event.preventDefault();
      handler(event);
    } else if (isPrefix(name)) prefix = { name, at: event.timeStamp };
  });
}

export function useKeys(keys: Keys, { modal = false } = {}): void {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    const layer = { keys: () => latest.current, modal };
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, [modal]);
}
