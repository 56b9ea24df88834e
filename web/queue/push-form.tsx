/** A new task. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useDraft } from "../data/drafts.ts";
import { useLoaded } from "../data/store.ts";
import { type NewTask, tasks } from "../data/tasks.ts";
import { go } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { DetailHeader } from "../ui/detail.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { modKey, withMod } from "../ui/mod-key.ts";

export function PushForm() {
  const prompt = useDraft("task");
  const name = useDraft("task name");
  const profile = useSignal("");
  const field = useRef<HTMLTextAreaElement>(null);
  // At once: what is typed after the key that opened it must land inside.
  useLayoutEffect(() => field.current?.focus(), []);
  const empty = prompt.value.trim() === "";
  const push = (run: boolean) => {
    if (empty) return;
    void attempt(async () => {
      const task: NewTask = {
        prompt: prompt.value.trim(),
        ...(name.value.trim() && { name: name.value.trim() }),
        ...(profile.value && { profile: profile.value }),
      };
      const made = run ? (await tasks.start(task)).terminalId : (await tasks.push(task)).task.name;
      prompt.value = "";
      name.value = "";
      go({ tab: "queue", id: made }, { replace: true });
    });
  };
  return (
    <form
      class="entry-detail"
      aria-label="Push a task"
      onSubmit={(event) => {
        event.preventDefault();
        push(false);
      }}
      onKeyDown={withMod("Enter", () => push(true))}
    >
      <DetailHeader tab="queue" title="Push a task" more="The prompt is all that the sub-agent sees." />
      <div class="detail-body">
        <div class="form">
          <TextArea label="Prompt" text={prompt} field={field} />
          <div class="form-line">
            <TextField label="Name" text={name} placeholder="generated if empty" />
            <Profiles
              chosen={profile.value}
              onChoose={(next) => {
                profile.value = next;
              }}
            />
          </div>
          <div class="card-actions">
            <button type="submit" class="button" disabled={empty}>
              Push
            </button>
            <button type="button" class="button primary" disabled={empty} onClick={() => push(true)}>
              Push and run <kbd>{modKey}↵</kbd>
            </button>
          </div>
        </div>
      </div>
    </form>
  );
}

function Profiles({ chosen, onChoose }: { chosen: string; onChoose(name: string): void }) {
  const { value, problem } = useLoaded({ fetch: async () => (await tasks.profiles()).profiles }, []);
  return (
    <label>
      Profile
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">Default</option>
        {(value ?? []).map((one) => (
          <option key={one.name} value={one.name} disabled={!one.installed}>
            {one.name}
            {one.installed ? "" : " (not installed)"}
          </option>
        ))}
      </select>
      {problem && <span class="hint">The other profiles could not be loaded: {problem.message}</span>}
    </label>
  );
}
