/** Channels: the messages in each, and how many of them are not acknowledged yet. */
import { useMemo } from "preact/hooks";
import { agents } from "../data/agents.ts";
import { channels } from "../data/channels.ts";
import { useStore } from "../data/store.ts";
import { go, place } from "../router.ts";
import { Empty } from "../ui/empty.tsx";
import { grouped } from "../ui/groups.ts";
import { Icon } from "../ui/icon.tsx";
import { useListKeys } from "../ui/list-keys.ts";
import { ListTab } from "../ui/list-tab.tsx";
import { Row } from "../ui/row.tsx";
import { ChannelDetail } from "./channel-detail.tsx";

export function Channels() {
  const { id } = place.value;
  const loaded = useStore(channels);
  const known = useStore(agents).value;
  const rows = useMemo(() => {
    const mailboxes = new Set(known?.flatMap(({ name, pools }) => [name, ...pools]));
    const all = loaded.value ?? [];
    return grouped(
      [
        ["Topics", all.filter(({ name }) => !mailboxes.has(name))],
        ["Mailboxes of agents", all.filter(({ name }) => mailboxes.has(name))],
      ],
      ({ name }) => name,
    );
  }, [loaded.value, known]);
  const keys = useListKeys("channels", rows);
  return (
    <ListTab
      tab="channels"
      loaded={loaded}
      rows={rows}
      keys={keys}
      tools={<OpenByName />}
      empty={
        <Empty icon="channels" title="No channels yet" command={'inbox msg send builds "v2.3.1 deployed"'}>
          A channel is a stream of messages with any number of readers. Its first message creates it:
        </Empty>
      }
      render={({ name, pending }) => (
        <Row
          to={{ tab: "channels", id: name }}
          open={name === id}
          low
          lead={<Icon name="channels" />}
          title={name}
          side={
            pending > 0 && (
              <span class="count strong">
                {pending}
                <span class="hidden"> pending</span>
              </span>
            )
          }
        />
      )}
    >
      {id === undefined ? (
        <Empty icon="channels" title="No channel is open">
          The inbox of an agent is the channel with the agent’s name.
        </Empty>
      ) : (
        <ChannelDetail key={id} name={id} />
      )}
    </ListTab>
  );
}

const OpenByName = () => (
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
);
