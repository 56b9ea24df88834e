/** Under every field to write in: who gets it, and whether somebody will read it. */
import { agents } from "../data/agents.ts";
import { readerOf } from "../data/readers.ts";
import { useStore } from "../data/store.ts";
import { Age } from "./time.tsx";

export function Receiver({ name }: { name: string }) {
  const { value } = useStore(agents);
  const reader = readerOf(name);
  return (
    <span class="receiver" data-state={reader.state}>
      To <strong>{name}</strong>
      {value && <Will reader={reader} />}
    </span>
  );
}

function Will({ reader }: { reader: ReturnType<typeof readerOf> }) {
  switch (reader.state) {
    case "running":
      return <>, which is running and reads its mail</>;
    case "active":
      return <>, which is active</>;
    case "away":
      return (
        <>
          , last seen <Age at={reader.agent.lastSeenAt} />; kept until it reads its mail
        </>
      );
    case "ended":
      return <>, which has finished and reads no mail</>;
    case "unknown":
      return <>: nobody of this name has been seen yet; kept until somebody is</>;
  }
}
