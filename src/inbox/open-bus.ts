/** The engine at a location, with the carrier of its mail and the journal of its entries. */
import type { Engine, EngineOptions } from "../engines/engine.ts";
import { openEngine } from "../engines/registry.ts";
import { type Journaled, type JournalPlace, journaled } from "../journal/journaled.ts";
import { journalBeside, sharedJournal } from "../location/locate.ts";
import { canLock } from "../platform/file-lock.ts";

export interface BusOptions extends EngineOptions {
  /** [G3] The address of a broker that carries mail to its readers; without one the database does. */
  delivery?: string;
  /** [U5] Where the journal of entries is (default: beside a file; none for a server). */
  journal?: Partial<JournalPlace>;
}

/** Loaded only if a carrier is configured. */
const broker = () => require("../delivery/broker.ts") as typeof import("../delivery/broker.ts");

export function openBus(
  location: string,
  { delivery, journal: place = {}, ...options }: BusOptions = {},
): { engine: Engine; journal?: Journaled["journal"] } {
  const opened = openEngine(location, options);
  const carried =
    delivery === undefined
      ? opened
      : broker().carriedTo(delivery, opened, { brief: options.brief ?? false, complain: place.complain });
  // If the journal's lock cannot be taken, the next program that can writes what is missing.
  const folder = canLock ? (place.folder ?? journalBeside(location)) : undefined;
  return folder === undefined
    ? { engine: carried }
    : journaled(carried, { shared: sharedJournal(location), ...place, folder });
}
