/** Every answer has the shape that the documents promise: docs/generated/operations.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv, { type ValidateFunction } from "ajv";
import type { Check, Op, Violation } from "./history.ts";

const file = join(import.meta.dir, "../../../docs/generated/operations.json");

let known: Map<string, ValidateFunction> | undefined;

function schemas(): Map<string, ValidateFunction> {
  if (known) return known;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const operations: { name: string; output: object }[] = JSON.parse(readFileSync(file, "utf8"));
  known = new Map(operations.map(({ name, output }) => [name, ajv.compile(output)]));
  return known;
}

/** The SDK's methods of channels answer with the thing itself, and models get what is useful to them. */
const isWhole = ({ surface, op }: Op) =>
  surface === "rest" || (/^(sdk|cli)/.test(surface) && !op.startsWith("messages."));

export const outsideSchema: Check = ({ ops }) => {
  const all = schemas();
  return ops.flatMap((op): Violation[] => {
    if (op.outcome !== "ok" || !isWhole(op)) return [];
    // That a key was used before is said of every write.
    const { deduplicated, ...value } = op.value;
    const valid = all.get(op.op)!;
    if (valid(value)) return [];
    const [error] = valid.errors!;
    const text = `${error!.instancePath || "the answer"} ${error!.message} ${JSON.stringify(error!.params)}`;
    return [{ kind: "outside its schema", text, witness: [op] }];
  });
};
