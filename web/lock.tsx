/** The hub requires a token: where to enter it. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { forget, hasToken, unlock } from "./data/api.ts";
import { Icon } from "./ui/icon.tsx";

export function Lock({ why }: { why: string }) {
  const token = useSignal("");
  const keep = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  // At once: whoever has a token types or pastes it as soon as the page asks for it.
  useLayoutEffect(() => field.current?.focus(), []);
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
        <p class="product">Restante</p>
        <h1>{why}</h1>
        <p>
          To create one, run this on the machine of the hub:{" "}
          <code class="command-line">inbox token create --agent user --scope user</code>
        </p>
        <label>
          Token
          <input
            ref={field}
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
              Forget the stored token
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
