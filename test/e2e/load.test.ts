/**
 * [U15] An agent that pushes every second is no nuisance: with the page open nothing under the pointer moves, and what is drawn
 * does not grow. `npm run prove -- load` takes ten minutes for it and shows how much memory is used; `npm test` a few seconds,
 * with the pushes closer together.
 */
import { beforeAll, expect, test } from "bun:test";
import type { CDPSession } from "playwright-core";
import { inBrowser } from "../support/in-browser.ts";
import { inFull, isFull } from "../support/in-full.ts";
import { night } from "../support/morning.ts";
import { until } from "../support/until.ts";

const pushes = inFull(30, 600);
const everyMs = inFull(100, 1000);

/** Run in the page: what is under a point, in every frame from now on. */
const watchPoint = `(x, y) => {
  const seen = (window.seenAtPoint = new Set());
  const look = () => {
    const place = document.elementFromPoint(x, y)?.closest(".row-place");
    seen.add(place ? place.dataset.id + " at " + Math.round(place.getBoundingClientRect().top) : "no row");
    requestAnimationFrame(look);
  };
  look();
}`;

/** What is left after the browser has cleared up, in megabytes, and how many elements there are. */
async function memory(session: CDPSession): Promise<{ heap: number; nodes: number }> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (name: string) => metrics.find((metric) => metric.name === name)!.value;
  return { heap: of("JSHeapUsedSize") / 1e6, nodes: of("Nodes") };
}

inBrowser({}, (here) => {
  const { ask, open } = here;
  beforeAll(async () => {
    await night(here.hub, here.folder, 20);
  });

  test(
    "[U15] with a push every moment no row under the pointer moves, and no elements are left behind",
    async () => {
      await using window = await open();
      const { page } = window;
      const session = await page.context().newCDPSession(page);
      await session.send("Performance.enable");
      const row = page.locator(".entry").nth(4);
      await row.hover();
      const { x, y, width, height } = (await row.boundingBox())!;
      const at = [x + width / 2, y + height / 2];
      await page.evaluate(`(${watchPoint})(${at})`);
      let requests = 0;
      page.on("request", () => requests++);
      const samples: { heap: number; nodes: number }[] = [];
      for (let n = 0; n < pushes; n++) {
        await ask("POST /api/mailbox/user/send", { from: `pusher-${n % 7}`, message: `Progress ${n}` });
        await new Promise((done) => setTimeout(done, everyMs)); // the pace is what is tested
        if (n % (pushes / 6) === 0) samples.push(await memory(session));
      }
      await page.locator(".new-entries", { hasText: `${pushes} new` }).waitFor();
      samples.push(await memory(session));
      expect(await page.evaluate("[...window.seenAtPoint]")).toHaveLength(1);
      expect(requests).toBeLessThan(4 * pushes);
      // From the second sample on: the first has yet to load what is loaded once.
      const [, second, ...rest] = samples;
      expect(rest.at(-1)!.nodes).toBeLessThan(second!.nodes + 300);
      if (isFull) {
        console.log("heap in MB:", samples.map(({ heap }) => heap.toFixed(1)).join(" "));
        expect(rest.at(-1)!.heap).toBeLessThan(2 * second!.heap);
      }
      // Once the pointer is gone, what came is there.
      await page.mouse.move(1000, 600);
      await page.locator(".entry", { hasText: `Progress ${pushes - 1}` }).waitFor();
      await until(
        "nothing is held back any more",
        async () => (await page.locator(".new-entries").count()) === 0,
      );
      expect(window.troubles).toEqual([]);
    },
    inFull(60_000, 900_000),
  );
});
