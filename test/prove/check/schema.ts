/** Every answer has the shape that the documents promise: docs/generated/operations.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv, { type ValidateFunction } from "ajv";
import type { Check, Op, Violation } from "./history.ts";

const file = join(import.meta.dir, "../../../docs/generated/operations.json");

interface Operation {
  name: string;
  output: object;
}

let operations: Operation[] | undefined;
const ajv = new Ajv({ strict: false, validateFormats: false });
const compiled = new Map<string, ValidateFunction>();

/** Compiled when it is needed: all of them take a second. */
function schemaOf(op: string): ValidateFunction {
  operations ??= JSON.parse(readFileSync(file, "utf8")) as Operation[];
  const found = compiled.get(op) ?? ajv.compile(operations.find(({ name }) => name === op)!.output);
  compiled.set(op, found);
  return found;
}

/** The SDK's methods of channels answer with the thing itself, and models get what is useful to them. */
const isWhole = ({ surface, op }: Op) =>
  surface === "rest" || (/^(sdk|cli)/.test(surface) && !op.startsWith("messages."));

export const outsideSchema: Check = ({ ops }) =>
  ops.flatMap((op): Violation[] => {
    if (op.outcome !== "ok" || !isWhole(op)) return [];
    // That a key was used before is said of every write.
    const { deduplicated, ...value } = op.value;
    const valid = schemaOf(op.op);
    if (valid(value)) return [];
    const [error] = valid.errors!;
    const text = `${error!.instancePath || "the answer"} ${error!.message} ${JSON.stringify(error!.params)}`;
    return [{ kind: "outside its schema", text, witness: [op] }];
  });
