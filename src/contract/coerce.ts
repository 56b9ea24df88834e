/** Converts text to a field's type, for surfaces that only have text: the command line and query strings. */
import type { Field } from "./fields.ts";

/** Text that does not fit is returned as it is, so that the schema refuses it with its own message. Invalid JSON throws. */
export function fromText(field: Field, value: string): unknown {
  switch (field.type) {
    case "flag":
      return value === "true" || value === "1" || value === ""
        ? true
        : value === "false" || value === "0"
          ? false
          : value;
    case "integer":
      return /^[+-]?\d+$/.test(value) ? Number(value) : value;
    case "number":
      if (field.none && value === "none") return undefined;
      return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) : value;
    case "list":
      return value.trim() === "" ? [] : value.split(/[,|]/).map((item) => item.trim());
    case "json":
    case "artifacts":
      return JSON.parse(value);
    default:
      return value;
  }
}
