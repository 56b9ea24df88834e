/**
 * [C10] [C14] Operations and fields as a model knows them: tools and arguments. It has no shell, no variables and
 * none of our files.
 */
import type { AnyOperation } from "../../contract/operation.ts";
import { type Reference, type Spelling, type Value, valueText } from "../../contract/phrase.ts";
import { namedIn } from "./named.ts";

/** Tools of the channel protocol have camelCase arguments, all others snake_case. */
export function argumentName({ cli, mcp }: AnyOperation, key: string): string {
  const renamed = "tool" in mcp ? mcp.renamed?.[key] : undefined;
  if (renamed !== undefined || cli.shape === "channel") return renamed ?? key;
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toolCall(op: AnyOperation, input: Readonly<Record<string, Value>>): string | undefined {
  if (!("tool" in op.mcp)) return undefined;
  // The caller is known, and is not an argument.
  const given = Object.entries(input).filter(([key]) => key !== op.cli.identity);
  const fields = given.map(([key, value]) => `"${argumentName(op, key)}": ${valueText(value)}`);
  return fields.length ? `${op.mcp.tool} {${fields.join(", ")}}` : op.mcp.tool;
}

/** `op` is the operation that was called: fields are its own unless a reference says otherwise. */
export const inTools =
  (op?: AnyOperation): Spelling =>
  (reference: Reference) => {
    switch (reference.is) {
      case "field": {
        const of = namedIn(reference.of, op);
        if (of && !("tool" in of.mcp)) return undefined;
        const name = of ? argumentName(of, reference.name) : reference.name;
        return reference.value === undefined ? name : `${name} ${valueText(reference.value)}`;
      }
      case "call":
        return toolCall(namedIn(reference.operation)!, reference.input);
      case "help": {
        const about = namedIn(reference.operation, op);
        return about && "tool" in about.mcp ? `the schema of ${about.mcp.tool}` : undefined;
      }
      default:
        return undefined;
    }
  };
