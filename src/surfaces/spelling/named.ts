import type { AnyOperation } from "../../contract/operation.ts";
import { type OperationName, operationNamed } from "../../contract/operations/index.ts";

/** The operation a reference names, else the one that was called. */
export const namedIn = (name: string | undefined, called?: AnyOperation): AnyOperation | undefined =>
  name === undefined ? called : (operationNamed(name as OperationName) as AnyOperation);
