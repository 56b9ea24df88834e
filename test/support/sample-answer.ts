/** An answer of an operation, made from its output schema: for tests of what every answer has in common. */
import type { GenericSchema } from "valibot";

interface Schema {
  type: string;
  entries?: Record<string, Schema>;
  item?: Schema;
  items?: readonly Schema[];
  wrapped?: Schema;
  options?: readonly unknown[];
  literal?: unknown;
  pipe?: readonly Schema[];
  value?: Schema;
  key?: Schema;
}

const address = "http://127.0.0.1:3456";

/** Every text that is free, and no address, is `text`; every list has one item, and every field is there. */
export function sampleAnswer(schema: GenericSchema, text: string): unknown {
  return sample(schema as unknown as Schema, text);
}

function sample(schema: Schema, text: string): unknown {
  switch (schema.type) {
    case "string":
      return text;
    case "number":
      return 1;
    case "boolean":
      return true;
    case "literal":
      return schema.literal;
    case "picklist":
      return schema.options![0];
    case "array":
      return [sample(schema.item!, text)];
    case "tuple":
      return schema.items!.map((item) => sample(item, text));
    case "record":
      return {};
    case "optional":
    case "nullable":
    case "nullish":
      return sample(schema.wrapped!, text);
    case "union":
    case "variant":
      return sample(schema.options![0] as Schema, text);
    case "object":
    case "strict_object":
    case "loose_object":
      return Object.fromEntries(
        Object.entries(schema.entries!).map(([key, entry]) => [
          key,
          sample(entry, key === "url" ? address : text),
        ]),
      );
    case "unknown":
    case "any":
      return text;
    default:
      throw new Error(`no sample of a schema of the type ${schema.type}`);
  }
}
