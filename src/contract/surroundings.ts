/** Defaults from the caller's environment: only programs on its own machine know them. */
import { isExcluded } from "./combinations.ts";
import { fieldsOf } from "./fields.ts";
import type { AnyOperation } from "./operation.ts";

export interface Surroundings {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

export function fillFromHere(
  op: AnyOperation,
  input: Record<string, unknown>,
  { cwd, env }: Surroundings,
): void {
  const fields = fieldsOf(op.input());
  const given = { ...input };
  const defaults = Object.fromEntries(fields.map(({ key, fallback }) => [key, fallback]));
  const parsed = { input: given, defaults };
  const goesAlong = (key: string) =>
    given[key] === undefined || given[key] === env[fields.find((field) => field.key === key)?.env ?? ""];
  for (const field of fields) {
    if (input[field.key] !== undefined || isExcluded(op.combinations ?? [], field.key, parsed)) continue;
    if (field.here) input[field.key] = cwd;
    else if (field.env && env[field.env] && (!field.along || goesAlong(field.along)))
      input[field.key] = env[field.env];
  }
}
