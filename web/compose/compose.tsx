/** `c`: a message to an agent or a pool, or a new sub-agent, whose result comes back to the person. */
import { type Signal, signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { permissionsAsked } from "../../src/contract/task.ts";
import { agents, sendTo } from "../data/agents.ts";
import { me } from "../data/api.ts";
import { useDraft } from "../data/drafts.ts";
import { useLoaded, useStore } from "../data/store.ts";
import { tasks } from "../data/tasks.ts";
import { keepTemplate, templates } from "../data/templates.ts";
import { workspaces } from "../data/workspaces.ts";
import { go } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { modKey, withMod } from "../ui/mod-key.ts";
import { Receiver } from "../ui/receiver.tsx";
import { say } from "../ui/toasts.tsx";

const open = signal(false);

export function openCompose(): void {
  open.value = true;
}

export function Compose() {
  if (!open.value) return null;
  return (
    <ComposeDialog
      onClose={() => {
        open.value = false;
      }}
    />
  );
}

type Mode = "message" | "sub-agent";

interface Fields {
  to: Signal<string>;
  text: Signal<string>;
  name: Signal<string>;
  profile: Signal<string>;
  cwd: Signal<string>;
  permission: Signal<string>;
}

/** Whether it was sent or started. */
async function submit(mode: Mode, fields: Fields): Promise<boolean> {
  const text = fields.text.value.trim();
  if (mode === "message") {
    const to = fields.to.value.trim();
    return attempt(() => sendTo(to, text), `Sent to ${to}`);
  }
  let started = "";
  const { name, profile, cwd, permission } = fields;
  const done = await attempt(async () => {
    const { terminalId } = await tasks.start({
      prompt: text,
      ...(name.value.trim() && { name: name.value.trim() }),
      ...(profile.value && { profile: profile.value }),
      ...(cwd.value && { cwd: cwd.value }),
      ...(permission.value && { permission: permission.value as (typeof permissionsAsked)[number] }),
    });
    started = terminalId;
  });
  if (!done) return false;
  say({
    text: `Started ${started}`,
    detail: "Its result comes to your inbox.",
    action: { label: "Open", run: () => go({ tab: "agents", id: started }) },
  });
  return true;
}

function ComposeDialog({ onClose }: { onClose(): void }) {
  const mode = useSignal<Mode>("message");
  const fields: Fields = {
    to: useDraft("compose to"),
    text: useDraft("compose"),
    name: useSignal(""),
    profile: useSignal(""),
    cwd: useSignal(""),
    permission: useSignal(""),
  };
  const { to, text } = fields;
  const field = useRef<HTMLTextAreaElement>(null);
  const first = useRef<HTMLInputElement>(null);
  // At once: what is typed after the key that opened it must land inside.
  useLayoutEffect(() => (to.peek() === "" ? first.current : field.current)?.focus(), []);
  const isMessage = mode.value === "message";
  const ready =
    text.value.trim() !== "" && (!isMessage || (to.value.trim() !== "" && to.value.trim() !== me));
  const send = async () => {
    if (!ready || !(await submit(mode.value, fields))) return;
    text.value = "";
    to.value = "";
    onClose();
  };
  return (
    <Dialog label="Compose" class="compose" onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onKeyDown={withMod("Enter", () => void send())}
      >
        <div class="modes" role="group" aria-label="What to compose">
          {(["message", "sub-agent"] as const).map((one) => (
            <button
              key={one}
              type="button"
              class="button quiet chip"
              aria-pressed={mode.value === one}
              onClick={() => {
                mode.value = one;
              }}
            >
              {one === "message" ? "Message" : "New sub-agent"}
            </button>
          ))}
          <Templates text={text} />
        </div>
        {isMessage ? <To to={to} field={first} /> : <Settings {...fields} />}
        <TextArea label={isMessage ? "Message" : "Prompt"} text={text} field={field} />
        <div class="card-actions">
          {isMessage && to.value.trim() !== "" ? (
            <Receiver name={to.value.trim()} />
          ) : (
            <span class="receiver">
              {isMessage ? "" : "The prompt is all that it sees. Its result comes to you."}
            </span>
          )}
          <button type="submit" class="button primary" disabled={!ready}>
            {isMessage ? "Send" : "Start"} <kbd>{modKey}↵</kbd>
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function To({ to, field }: { to: Signal<string>; field: RefObject<HTMLInputElement | null> }) {
  const { value = [] } = useStore(agents);
  const names = new Set([...value.map(({ name }) => name), ...value.flatMap(({ pools }) => pools)]);
  names.delete(me);
  return (
    <label>
      To
      <input
        ref={field}
        list="compose-names"
        placeholder="an agent or a pool"
        autoComplete="off"
        value={to.value}
        onInput={(event) => {
          to.value = event.currentTarget.value;
        }}
      />
      <datalist id="compose-names">
        {[...names].sort().map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}

function Settings({ name, profile, cwd, permission }: Fields) {
  const { value: profiles = [] } = useLoaded({ fetch: async () => (await tasks.profiles()).profiles }, []);
  return (
    <div class="form-line wrap">
      <TextField label="Name" text={name} placeholder="generated if empty" />
      <Choose
        label="Profile"
        chosen={profile}
        options={profiles.filter(({ installed }) => installed).map((one) => [one.name, one.name])}
      />
      <Choose
        label="Workspace"
        chosen={cwd}
        options={(workspaces.value.value ?? []).map(({ path, label }) => [path, label])}
      />
      <Choose label="Permission" chosen={permission} options={permissionsAsked.map((one) => [one, one])} />
    </div>
  );
}

interface ChooseProps {
  label: string;
  chosen: Signal<string>;
  options: readonly (readonly [value: string, name: string])[];
}

const Choose = ({ label, chosen, options }: ChooseProps) => (
  <label>
    {label}
    <select
      value={chosen.value}
      onChange={(event) => {
        chosen.value = event.currentTarget.value;
      }}
    >
      <option value="">Default</option>
      {options.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

function Templates({ text }: { text: Signal<string> }) {
  const names = Object.keys(templates.value);
  const first = text.value.trim().split("\n")[0]!.slice(0, 60);
  const kept = templates.value[first] === text.value.trim();
  return (
    <span class="templates">
      {names.length > 0 && (
        <select
          aria-label="Use a template"
          value=""
          onChange={(event) => {
            text.value = templates.value[event.currentTarget.value] ?? text.value;
          }}
        >
          <option value="">Templates</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {first && (
        <button
          type="button"
          class="button quiet"
          onClick={() => keepTemplate(first, kept ? "" : text.value.trim())}
        >
          {kept ? "Remove the template" : "Keep as template"}
        </button>
      )}
    </span>
  );
}
