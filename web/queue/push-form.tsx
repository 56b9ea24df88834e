/** A new task. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type NewTask, type Profile, tasks } from "../data/tasks.ts";
import { go } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { BackButton } from "../ui/columns.tsx";
import { modKey } from "../ui/mod-key.ts";

export function PushForm() {
  const prompt = useSignal("");
  const name = useSignal("");
  const profile = useSignal("");
  const profiles = useSignal<readonly Profile[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    void tasks.profiles().then(
      (found) => {
        profiles.value = found.profiles;
      },
      () => {},
    );
  }, [profiles]);
  const push = (run: boolean) =>
    void attempt(async () => {
      const task: NewTask = {
        prompt: prompt.value.trim(),
        ...(name.value.trim() && { name: name.value.trim() }),
        ...(profile.value && { profile: profile.value }),
      };
      const pushed = await tasks.push(task);
      if (run) await tasks.run();
      go({ tab: "queue", id: pushed.task.name }, { replace: true });
    });
  const empty = prompt.value.trim() === "";
  return (
    <form
      class="entry-detail"
      aria-label="Push a task"
      onSubmit={(event) => {
        event.preventDefault();
        if (!empty) push(false);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !empty) {
          event.preventDefault();
          push(true);
        }
      }}
    >
      <header class="detail-header">
        <BackButton tab="queue" />
        <div class="detail-title">
          <h1>Push a task</h1>
          <p>A sub-agent starts with its prompt and nothing else.</p>
        </div>
      </header>
      <div class="detail-body">
        <div class="form">
          <label>
            Prompt
            <textarea
              dir="auto"
              ref={field}
              rows={8}
              value={prompt.value}
              onInput={(event) => {
                prompt.value = event.currentTarget.value;
              }}
            />
          </label>
          <div class="form-line">
            <label>
              Name
              <input
                placeholder="made up if empty"
                value={name.value}
                onInput={(event) => {
                  name.value = event.currentTarget.value;
                }}
              />
            </label>
            <label>
              Profile
              <select
                value={profile.value}
                onChange={(event) => {
                  profile.value = event.currentTarget.value;
                }}
              >
                <option value="">The default</option>
                {profiles.value.map((one) => (
                  <option key={one.name} value={one.name} disabled={!one.installed}>
                    {one.name}
                    {one.installed ? "" : " (not installed)"}
                  </option>
                ))}
              </select>
            </label>
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
