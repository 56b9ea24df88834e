/** [N4] What can be wrong in a bus, whichever engine it is on: supervision, stored readers, the person's journal. */
import { expiredReaders, moveReader } from "../bus/expired-readers.ts";
import { supervisionNow } from "../bus/tasks/supervision-now.ts";
import { type Finding, well } from "../contract/finding.ts";
import { call, phrase } from "../contract/phrase.ts";
import type { Engine } from "../engines/engine.ts";
import { openEngine } from "../engines/registry.ts";
import { openJournal } from "../journal/journal.ts";
import { journalBeside, sharedJournal } from "../location/locate.ts";
import { hasDied } from "../orch/holder.ts";

export async function busFindings(location: string, delivery: string | undefined): Promise<Finding[]> {
  const opened = <T>(work: (engine: Engine) => Promise<T>): Promise<T> => {
    const engine = openEngine(location);
    return work(engine).finally(() => engine.close());
  };
  return opened(async (engine) => [
    await supervision(engine, () => opened((own) => supervise(own, location, delivery))),
    await readers(engine, opened),
    ...(await journal(engine, location, opened)),
  ]);
}

type Opened = <T>(work: (engine: Engine) => Promise<T>) => Promise<T>;

/** [Q7] Any command that notices it starts one; this check reports why none could be started. */
async function supervision(engine: Engine, repair: () => Promise<string>): Promise<Finding> {
  const now = await engine.read((tx) => supervisionNow(tx, hasDied));
  if (now !== "wanted") return well("supervisor", now === "held" ? "supervises the tasks" : "none is needed");
  return {
    name: "supervisor",
    status: "warn",
    detail: "tasks are waiting or running without a supervisor: it has died",
    fix: phrase`${call("bus.supervise")}, or ${call("bus.up")}`,
    repair,
  };
}

async function supervise(engine: Engine, location: string, delivery: string | undefined): Promise<string> {
  const { ensureSupervision } =
    require("../orch/ensure-supervision.ts") as typeof import("../orch/ensure-supervision.ts");
  await ensureSupervision(engine, location, delivery);
  return "started a supervisor";
}

const named = 3;

/** [M7] The messages they had not read are deleted; without a repair they get this error with every read. */
async function readers(engine: Engine, opened: Opened): Promise<Finding> {
  const expired = await engine.read(expiredReaders);
  if (!expired.length) return well("readers", "reading can continue from every stored position");
  const shown = expired
    .slice(0, named)
    .map(({ reader, channel, position, next }) => `"${reader}" of "${channel}" at ${position}, now ${next}`);
  const more = expired.length > named ? ` and ${expired.length - named} more` : "";
  const list = `${shown.join("; ")}${more}`;
  const [one] = expired;
  return {
    name: "readers",
    status: "warn",
    detail: `${expired.length} stored position(s) lie before deleted messages, and are refused as expired: ${list}`,
    fix: phrase`${call("messages.inbox", { channel: one!.channel, reader: one!.reader, afterId: one!.next, commit: true })}`,
    async repair() {
      await opened((own) =>
        own.write(function* (tx) {
          for (const reader of expired) yield* moveReader(tx, reader);
        }),
      );
      return `moved past the deleted messages, which can no longer be read: ${list}`;
    },
  };
}

/** [U5] Only beside a database file: elsewhere the hub that keeps the journal repairs it when it starts. */
async function journal(engine: Engine, location: string, opened: Opened): Promise<Finding[]> {
  const folder = journalBeside(location);
  if (folder === undefined) return [];
  const shared = sharedJournal(location);
  const { missing, erased, erasedInShared } = await openJournal(folder, engine, shared).differences();
  if (!missing && !erased && !erasedInShared)
    return [well("entries file", "has every entry of the person's inbox")];
  return [
    {
      name: "entries file",
      status: "warn",
      detail: `${folder} lacks ${missing} entr${missing === 1 ? "y" : "ies"} and has ${erased} that were erased${erasedInShared ? `; ${shared?.folder}/entries.jsonl, which databases shared, has ${erasedInShared}` : ""}`,
      fix: phrase`${call("bus.up")}: a hub repairs it when it starts`,
      async repair() {
        await opened((own) => openJournal(folder, own, shared).repair());
        return `wrote ${missing} missing line(s) and removed ${erased + erasedInShared} of erased entries`;
      },
    },
  ];
}
