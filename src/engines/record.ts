/** What the rest of the program knows about an engine. Another engine is another record, and a line in registry.ts. */
import type { Diagnosis } from "../contract/finding.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import type { Copying } from "./tables.ts";

export interface EngineRecord {
  /** For people. */
  name: string;
  /** What its addresses look like, for an error about something else. */
  looksLike: string;
  isAddress(location: string): boolean;

  /** The file of a bus; undefined if a server has it. */
  file(location: string): string | undefined;
  /** Files beside that one which the engine reads automatically. */
  sideFiles(location: string): string[];
  /** A name for a bus that can be part of a path. */
  pathName(location: string): string;
  /** False only if it is certain, without opening it, that there is no bus. */
  mayExist(location: string): boolean;
  /** [Q16] Each process that waits for a change holds a connection, and a server has few. */
  connectionPerWaiter: boolean;
  /**
   * Whether a command closes it before it exits: for a file this is not needed and would take time; on a server,
   * other waits may still have to be told.
   */
  closedByCommands: boolean;

  open(location: string, options: EngineOptions): Engine;
  /** Creates what is missing; true if there was nothing before. */
  create(location: string): Promise<boolean>;
  schemaVersion(): number;
  /** [C8] What can be wrong with it, and what to do. */
  diagnose(location: string): Promise<Diagnosis>;
  /** The address that a hub of this bus has stored there; the hub may be gone. */
  notedHub(location: string): Promise<string | null>;
  copying(): Copying;
}
