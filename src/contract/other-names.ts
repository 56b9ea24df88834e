/** [C15.8] The names that one surface has for a field of an operation, and that are typed on another. */
import type * as v from "valibot";
import { fieldsOf } from "./fields.ts";
import { closestField, wordsOf } from "./suggest.ts";

/** What of an operation says how its fields are called elsewhere. */
export interface OtherNames {
  cli?: { identity?: string };
  mcp?: { renamed?: Readonly<Record<string, string>> } | { none: string };
}

interface Named extends OtherNames {
  input: () => v.GenericSchema;
}

/** The field that is called `name` by the command line, in other operations or by a model. */
export function fieldCalled({ input, cli, mcp }: Named, name: string): string | undefined {
  const wanted = wordsOf(name);
  // The caller is --agent with every command.
  if (wanted === "agent" && cli?.identity !== undefined) return cli.identity;
  const renamed = mcp && "renamed" in mcp ? (mcp.renamed ?? {}) : {};
  const called = fieldsOf(input()).find(({ key, flag, formerFlag }) =>
    [key, flag, formerFlag, renamed[key]].some((other) => other !== undefined && wordsOf(other) === wanted),
  );
  return called?.key;
}

/** The fields that were meant by a name that is none of the operation's (`known`), best first. */
export function fieldsMeantBy(op: Named, name: string, known: readonly string[]): string[] {
  const called = known.length ? fieldCalled(op, name) : undefined;
  return called !== undefined && known.includes(called) ? [called] : closestField(name, known);
}
