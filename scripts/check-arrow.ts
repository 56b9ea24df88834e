/** Holds the sources to the arrow: an import that it does not allow is an error, and so is a permission that nobody uses. */
import { dirname, join, relative } from "node:path";
import { arrow, covers, roomOf } from "./arrow.ts";

const root = join(import.meta.dir, "..");
const problems: string[] = [];
const unused = new Map(Object.entries(arrow).map(([room, allowed]) => [room, new Set(allowed)]));
const empty = new Set(Object.keys(arrow));
let count = 0;

for await (const file of new Bun.Glob("{src,web}/**/*.{ts,tsx}").scan(root)) {
  const room = roomOf(file);
  if (!room) {
    problems.push(`${file} has no room: add one to scripts/arrow.ts`);
    continue;
  }
  empty.delete(room);
  const text = await Bun.file(join(root, file)).text();
  for (const [, target] of text.matchAll(/(?:from|import|require)\s*\(?"(\.[^"]+)"/g)) {
    count++;
    const imported = relative(root, join(root, dirname(file), target!));
    if (roomOf(imported) === room) continue;
    const permissions = arrow[room]!.filter((permission) => covers(permission, imported));
    if (!permissions.length) problems.push(`${file} must not import ${imported}`);
    for (const permission of permissions) unused.get(room)!.delete(permission);
  }
}

for (const room of empty) problems.push(`${room} is in scripts/arrow.ts, and there is no such room`);
for (const [room, permissions] of unused)
  for (const permission of permissions)
    problems.push(`${room} may import ${permission} and does not: take that out of scripts/arrow.ts`);

/** Who is imported comes below: so nothing leads back. */
const order = Object.keys(arrow);
for (const [i, room] of order.entries())
  for (const permission of arrow[room]!) {
    const at = order.indexOf(roomOf(permission) ?? "");
    if (at >= 0 && at <= i)
      problems.push(`${room} comes below ${order[at]} in scripts/arrow.ts and may import it`);
  }

if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${count} imports follow the arrow`);
