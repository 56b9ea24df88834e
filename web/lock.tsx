/** A hub that wants a token, and where to put it. */
import { useSignal } from "@preact/signals";
import { forget, hasToken, unlock } from "./data/api.ts";
import { Icon } from "./ui/icon.tsx";

export function Lock({ why }: { why: string }) {
  const token = useSignal("");
  const keep = useSignal(false);
  return (
    <main class="lock">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (token.value.trim()) unlock(token.value.trim(), keep.value);
        }}
      >
        <span class="empty-icon">
          <Icon name="inbox" />
        </span>
        <h1>{why}</h1>
        <p>
          Make one for yourself on the machine the hub runs on:{" "}
          <code>inbox token create --agent user --scope user</code>
        </p>
        <label>
          Token
          <input
            type="password"
            autoComplete="off"
            spellcheck={false}
            value={token.value}
            onInput={(event) => {
              token.value = event.currentTarget.value;
            }}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={keep.value}
            onChange={(event) => {
              keep.value = event.currentTarget.checked;
            }}
          />
          Remember it in this browser
        </label>
        <div class="card-actions">
          {hasToken && (
            <button
              type="button"
              class="button quiet"
              onClick={() => {
                forget();
                location.reload();
              }}
            >
              Forget it
            </button>
          )}
          <button type="submit" class="button primary" disabled={token.value.trim() === ""}>
            Open
          </button>
        </div>
      </form>
    </main>
  );
}
