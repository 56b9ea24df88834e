/** What goes wrong in an attack. Each strikes again and again until it is told to stop, and leaves everything working. */
import type { Bed } from "./bed.ts";
import { type EngineName, engines } from "./servers.ts";

export interface Nemesis {
  engines: readonly EngineName[];
  /** Strikes once. */
  strike(bed: Bed): Promise<void>;
  /** Milliseconds between two strikes, at most. */
  pause: number;
}

const pick = <T>({ random }: Bed, all: readonly T[]) => all[Math.floor(random() * all.length)]!;
const a = ({ random }: Bed, ms: number) => Bun.sleep(random() * ms);

export const nemeses: Record<string, Nemesis> = {
  "kill-hub": {
    engines,
    pause: 1500,
    strike: (bed) =>
      bed.fault("kill-hub", async () => {
        const hub = pick(bed, bed.hubs);
        await hub.kill();
        await a(bed, 300);
        await hub.start();
      }),
  },
};

export async function torment(name: string, bed: Bed, signal: AbortSignal): Promise<void> {
  const nemesis = nemeses[name]!;
  while (!signal.aborted) {
    await a(bed, nemesis.pause);
    if (!signal.aborted) await nemesis.strike(bed);
  }
}
