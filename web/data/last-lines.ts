/** The last line of each sub-agent that runs. No event tells of it: it is asked for while somebody looks. */
import { useEffect } from "preact/hooks";
import { api } from "./api.ts";
import { store, useStore } from "./store.ts";

const lastLines = store<ReadonlyMap<string, string>>({
  fetch: async () => {
    const { subAgents } = await api.stats.show({});
    return new Map(subAgents.flatMap(({ name, lastLine }) => (lastLine === null ? [] : [[name, lastLine]])));
  },
});

const lookAgainMs = 3000;

/** `running`: whether there is any. */
export function useLastLines(running: boolean): ReadonlyMap<string, string> | undefined {
  const { value } = useStore(lastLines);
  useEffect(() => {
    if (!running) return;
    void lastLines.load();
    const timer = setInterval(() => {
      if (!document.hidden) void lastLines.load();
    }, lookAgainMs);
    return () => clearInterval(timer);
  }, [running]);
  return value;
}
