/** What the texts of all answers have in common. Each answer is made from its schema. */
import { expect, test } from "bun:test";
import {
  type OperationName,
  type OutputOf,
  operationNamed,
  table,
} from "../../src/contract/operations/index.ts";
import { inShell } from "../../src/surfaces/spelling/shell.ts";
import { logLineText } from "../../src/surfaces/text/hub.ts";
import { plainPaint } from "../../src/surfaces/text/paint.ts";
import { render } from "../../src/surfaces/text/render.ts";
import { sampleAnswer } from "../support/sample-answer.ts";

const rendered = (name: OperationName, text: string) =>
  render(name, sampleAnswer(operationNamed(name).output(), text) as never, plainPaint, inShell);

test.each(["mailbox.list", "deadLetters.list"] as const)(
  "[B1.5] the list of %s has a column for the thread of a message",
  (name) => expect(rendered(name, "x").split("\n")[0]).toMatch(/ THREAD /),
);

test.each(table.map(({ name }) => name))(
  "[C2.7] each time in the text of %s says that it is in UTC",
  (name) => {
    const text = rendered(name, "2026-05-14T10:00:00.000Z");
    // A text that ends in … was cut.
    const times = text.match(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|…|)/g) ?? [];
    expect(times.filter((time) => !/[Z…]$/.test(time))).toEqual([]);
  },
);

test("[C2.7] a line of the hub's log, and days that are counted, say that they are in UTC", () => {
  const line = logLineText({ time: "2026-05-14T10:00:00.123Z", level: "info", event: "start" }, plainPaint);
  expect(line).toStartWith("2026-05-14 10:00:00Z info");
  for (const name of ["costs.show", "quotas.list", "stats.show"] as const)
    expect([name, rendered(name, "x")]).toEqual([name, expect.stringContaining("(UTC)")]);
});

test("[U14.13] orch queue says of a released task that it waits to start, whatever it waits for", () => {
  const sample = sampleAnswer(operationNamed("tasks.queue").output(), "x") as OutputOf<"tasks.queue">;
  const [task] = sample.queued;
  const waiting = { ...task!, status: "waiting", attempt: 0, startedAt: null, finishedAt: null } as const;
  const shown = render("tasks.queue", { ...sample, held: null, queued: [waiting] }, plainPaint, inShell);
  expect(shown).toContain("- x (waiting to start; after x");
});
