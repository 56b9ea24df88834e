/** Under every field to write in: who gets it, and whether somebody will read it. */
import { agents } from "../data/agents.ts";
import { type Reader, readerOf } from "../data/readers.ts";
import { useStore } from "../data/store.ts";
import { Age } from "./time.tsx";

const resumes = (reader: Reader) => reader.state === "ended" && Boolean(reader.task?.session);

export function Receiver({ name }: { name: string }) {
  const { value } = useStore(agents);
  const reader = readerOf(name);
  return (
    <span class="receiver" data-state={resumes(reader) ? "resumes" : reader.state}>
      To <strong>{name}</strong>
      {value && <Will reader={reader} />}
    </span>
  );
}

function Will({ reader }: { reader: Reader }) {
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
      return resumes(reader) ? (
        <>, which has finished: its session continues with this</>
      ) : (
        <>, which has finished and reads no mail</>
      );
    case "unknown":
      return <>: nobody of this name has been seen yet; kept until somebody is</>;
  }
}
