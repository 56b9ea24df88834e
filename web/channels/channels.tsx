/** Channels: what was said in each, what is pending, and acks. */
import { useMemo } from "preact/hooks";
import { type Channel, loadChannels } from "../data/channels.ts";
import { useKeys } from "../keys.ts";
import { go, pathOf, place } from "../router.ts";
import { Columns, useListKeys } from "../ui/columns.tsx";
import { Empty, Trouble } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { LongList, type Row } from "../ui/long-list.tsx";
import { useLive } from "../ui/use-live.ts";
import { ChannelDetail } from "./channel-detail.tsx";

export function Channels() {
  const { id } = place.value;
  const { value, problem, again } = useLive(
    loadChannels,
    ({ eventType }) => /^(message|thread)/.test(eventType),
    [],
  );
  const rows = useMemo<Row<Channel>[]>(() => (value ?? []).map((item) => ({ id: item.name, item })), [value]);
  const { follow, detail } = useListKeys("channels", rows);
  useKeys({ r: () => detail.current?.querySelector<HTMLElement>("textarea")?.focus() });
  return (
    <Columns
      label="Channels"
      detail={detail}
      list={
        <>
          <header class="list-header">
            <h1>Channels</h1>
            <form
              class="go-to"
              onSubmit={(event) => {
                event.preventDefault();
                const name = new FormData(event.currentTarget).get("name")?.toString().trim();
                if (!name) return;
                go({ tab: "channels", id: name });
                event.currentTarget.reset();
              }}
            >
              <input
                name="name"
                aria-label="Open a channel by its name"
                placeholder="Open by name…"
                autoComplete="off"
              />
            </form>
          </header>
          {problem && !value ? (
            <Trouble {...problem} again={again} />
          ) : value && !rows.length ? (
            <Empty
              icon="channels"
              title="No channels yet"
              command={'inbox msg send builds "v2.3.1 deployed"'}
            >
              A channel is a stream that many may read. It begins with its first message:
            </Empty>
          ) : (
            <LongList
              label="Channels"
              rows={rows}
              current={id}
              follow={follow}
              render={({ name, pending }) => (
                <div class="row" data-open={name === id}>
                  <a
                    class="row-link low"
                    href={pathOf({ tab: "channels", id: name })}
                    aria-current={name === id ? "true" : undefined}
                    onClick={(event) => {
                      if (event.metaKey || event.ctrlKey) return;
                      event.preventDefault();
                      go({ tab: "channels", id: name });
                    }}
                  >
                    <Icon name="channels" />
                    <span class="row-text">
                      <span class="row-title strong">{name}</span>
                    </span>
                    {pending > 0 && (
                      <span class="count strong">
                        {pending}
                        <span class="hidden"> pending</span>
                      </span>
                    )}
                  </a>
                </div>
              )}
            />
          )}
        </>
      }
    >
      {id === undefined ? (
        <Empty icon="channels" title="No channel is open">
          An agent’s inbox is the channel that bears its name.
        </Empty>
      ) : (
        <ChannelDetail key={id} name={id} />
      )}
    </Columns>
  );
}
