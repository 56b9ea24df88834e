/** Lists in groups, each under a heading with how many are in it. */
import type { Row } from "./long-list.tsx";

/** Groups without items are left out. `more`: the hub has more than is loaded, so that a count is only a lower bound. */
export const grouped = <T>(
  groups: readonly (readonly [head: string, items: readonly T[]])[],
  idOf: (item: T) => string,
  more = false,
): Row<T>[] =>
  groups.flatMap(([head, items]) =>
    items.length
      ? [
          { head, count: more ? `${items.length}+` : String(items.length) },
          ...items.map((item) => ({ id: idOf(item), item })),
        ]
      : [],
  );
