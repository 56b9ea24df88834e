/** Tab in the shell: commands, their options, and the names of agents and tasks. */
import type { Inbox } from "../../inbox/inbox.ts";
import { operationsOf } from "./commands.ts";
import { type NameKind, namesOf, namesTaken } from "./completion-names.ts";
import { flagsOf } from "./flags.ts";
import { slashCommands } from "./slash.ts";

type Completed = [found: string[], typed: string];

export const completer =
  (inbox: Inbox) =>
  (line: string, done: (error: Error | null, result: Completed) => void): void => {
    complete(inbox, line).then(
      (result) => done(null, result),
      () => done(null, [[], line]),
    );
  };

async function complete(inbox: Inbox, line: string): Promise<Completed> {
  const typed = /\S*$/.exec(line)![0];
  const [first, ...before] = line
    .slice(0, line.length - typed.length)
    .split(/\s+/)
    .filter(Boolean);
  const all = slashCommands();
  if (first === undefined)
    return [[...all.keys()].map((name) => `/${name} `).filter((name) => name.startsWith(typed)), typed];
  const [program, command] = all.get(first.slice(1)) ?? ["inbox", ""];
  const flags = operationsOf(command, program).flatMap(flagsOf);
  const options = typed.startsWith("--")
    ? flags.map(({ name, value }) => (value === undefined ? `${name} ` : `${name}=`))
    : flags.filter(({ value }) => value !== undefined).map(({ name }) => `${name.slice(2)}=`);
  const ops = operationsOf(command, program);
  const taken = ops.flatMap((op) => flagsOf(op).flatMap(({ field }) => namesTaken(op, field) ?? []));
  // For a command that is unknown, or takes no names, the names that are typed most.
  const kinds: NameKind[] = taken.length ? [...new Set(taken)] : ["tasks", "agents"];
  const assigned = /^[\w-]+=(?:.*,)?/.exec(typed)?.[0];
  const names =
    before.length && !assigned
      ? []
      : (await namesThere(inbox, kinds)).map((name) => `${assigned ?? ""}${name} `);
  const found = [...names, ...(assigned ? [] : options)].filter((word) => word.startsWith(typed));
  return [found, typed];
}

async function namesThere(inbox: Inbox, kinds: readonly NameKind[]): Promise<string[]> {
  const names = await Promise.all(kinds.map((kind) => namesOf(inbox, kind)));
  return [...new Set(names.flat())];
}
