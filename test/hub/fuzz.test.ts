/** Whatever is sent, the hub answers what it has declared; `npm run prove -- fuzz` does this for longer. */
import { describe, expect, test } from "bun:test";
import { problemOf } from "../support/answers.ts";
import { fuzz } from "../support/fuzz.ts";
import { hubHere } from "../support/hub.ts";

test("[C4] [X4] two thousand requests made from our own schemas: no 5xx, no hang, no answer outside of them", async () => {
  await using hub = await hubHere({ supervise: false });
  // Always the same ones: `npm run prove -- fuzz` is what looks for others.
  const { problem, requests } = await fuzz(hub, { seed: 20772, runs: 2000 });
  expect(problem).toBeUndefined();
  expect(requests).toBe(2000);
  expect((await hub.ask("GET /readyz")).status).toBe(200);
});

describe("an answer that is not declared is found", () => {
  const type = "application/json; charset=utf-8";
  const send = { method: "POST", path: "/api/messages", type };

  test.each([
    ["another status", { ...send, status: 200, text: "{}" }],
    ["a field that is missing", { ...send, status: 201, text: '{"id":1}' }],
    ["another type", { ...send, status: 201, type: "text/html", text: "<p>" }],
    ["a refusal of another shape", { ...send, status: 400, text: '{"message":"no"}' }],
    ["a failure of the hub's", { ...send, status: 500, text: "{}" }],
    ["a route that nobody declared", { ...send, path: "/api/secret", status: 200, text: "{}" }],
  ])("[C4] %s", (_, answer) => {
    expect(problemOf(answer)).toBeString();
  });

  test("[C4] every response in the tests is checked by their fetch", async () => {
    await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ id: 1 }) });
    await expect(fetch(`http://127.0.0.1:${server.port}/healthz`)).rejects.toThrow("outside of its schema");
  });
});
