/** What this hub can do. The page comes from the hub itself, so the table of operations in it is the hub's. */
import { table } from "../../src/contract/operations/index.ts";

const names = new Set<string>(table.map(({ name }) => name));

export const can = (operation: string) => names.has(operation);
