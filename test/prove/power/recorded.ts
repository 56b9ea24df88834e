/** What a program wrote to disk (shim/disk.c), and what of it is there after the power has failed at some moment. */
import { randomOf } from "../../support/random.ts";

export interface Recorded {
  what: "write" | "truncate" | "sync" | "remove";
  name: string;
  /** Of a write its position, of a truncation the new length. */
  at: number;
  bytes: Buffer;
  /** Where it ends in the record. */
  end: number;
}

export function* parsed(record: Buffer): Generator<Recorded> {
  for (let start = 0; start < record.length; ) {
    const head = record.indexOf(10, start);
    const [what, at, count, ...name] = record.toString("utf8", start, head).split(" ");
    const end = head + 1 + Number(count);
    const bytes = record.subarray(head + 1, end);
    yield { what: what as Recorded["what"], name: name.join(" "), at: Number(at), bytes, end };
    start = end;
  }
}

/** As the system calls them: what is certain, and what was written since and may be there in part. */
interface Disk {
  certain: Map<string, Buffer>;
  since: Recorded[];
}

/** How much of what was not synced is there: nothing, everything, or a part, of which sectors are torn. */
export const losses = ["nothing", "everything", "a part", "another part"] as const;
export type Loss = (typeof losses)[number];

const sector = 512;

export class RecordedDisk {
  private readonly disk: Disk = { certain: new Map(), since: [] };

  add(one: Recorded): void {
    const { certain, since } = this.disk;
    if (one.what === "sync") {
      // Only this file's: what was written to another one before is as uncertain as it was.
      const own = since.filter(({ name }) => name === one.name);
      for (const write of own) apply(certain, write, write.bytes);
      this.disk.since = since.filter(({ name }) => name !== one.name);
    } else if (one.what === "remove") {
      certain.delete(one.name);
      this.disk.since = since.filter(({ name }) => name !== one.name);
    } else since.push(one);
  }

  after(loss: Loss, seed: number): Map<string, Buffer> {
    const random = randomOf(seed);
    const files = new Map([...this.disk.certain].map(([name, bytes]) => [name, Buffer.from(bytes)]));
    if (loss === "nothing") return files;
    for (const write of this.disk.since) {
      if (loss === "everything") apply(files, write, write.bytes);
      else if (random() < 0.6) applyTorn(files, write, random);
    }
    return files;
  }
}

function apply(files: Map<string, Buffer>, { what, name, at }: Recorded, bytes: Uint8Array): void {
  const before = files.get(name) ?? Buffer.alloc(0);
  const length = what === "truncate" ? at : Math.max(before.length, at + bytes.length);
  const after = length === before.length ? before : Buffer.alloc(length);
  if (after !== before) before.copy(after, 0, 0, Math.min(before.length, length));
  if (what === "write") after.set(bytes, at);
  files.set(name, after);
}

/** Each sector of a write is there or not. */
function applyTorn(files: Map<string, Buffer>, write: Recorded, random: () => number): void {
  if (write.what === "truncate" || random() < 0.5) {
    apply(files, write, write.bytes);
    return;
  }
  for (let from = 0; from < write.bytes.length; from += sector)
    if (random() < 0.5)
      apply(files, { ...write, at: write.at + from }, write.bytes.subarray(from, from + sector));
}
