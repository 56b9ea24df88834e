/** What a wait without an end at a hub is told when its first request ends, and only then. */
import { expect, test } from "bun:test";
import type { BeginNote } from "../../src/contract/begin-note.ts";
import { connect } from "../../src/surfaces/client/client.ts";
import { served } from "../support/hub.ts";
import { until } from "../support/until.ts";

test("[L11.4] [M13.8] a wait without an end at a hub is told once what is held, and which names look misspelled", async () => {
  await using hub = await served();
  let asked = 0;
  // The usual 50 seconds are not waited for: every request ends soon.
  const client = connect(hub.url, {
    fetch: (to, init) => {
      asked++;
      const body = String(init?.body ?? "");
      return fetch(to, {
        ...init,
        ...(body && { body: body.replace(/("timeout_?[sS]econds":)\d+/, "$10.05") }),
      });
    },
  });
  await client.call("threads.send", { from: "boss", to: "worker", subject: "job" });
  await client.call("threads.claim", { agent: "worker" });

  const notesOf = async (agent: string, timeoutSeconds?: number) => {
    const notes: BeginNote[] = [];
    const ends = new AbortController();
    const { signal } = ends;
    const before = asked;
    const call = client.call(
      "threads.claim",
      { agent, wait: true, timeoutSeconds },
      { signal, noteAtBegin: (note) => notes.push(note) },
    );
    const ended = call.catch(() => undefined);
    await until("three requests were made", () => asked >= before + 3);
    ends.abort();
    await ended;
    return notes;
  };
  expect(await notesOf("worker")).toEqual([
    { held: [expect.objectContaining({ threadId: "thr_1", subject: "job" })] },
  ]);
  expect(await notesOf("workr")).toEqual([{ unknown: [{ name: "workr", similar: ["worker"] }] }]);
  expect(await notesOf("worker", 100)).toEqual([]);
});
