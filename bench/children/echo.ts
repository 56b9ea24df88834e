/**
 * The floor under the hub: the same routes on the same server, each giving the JSON it got straight back.
 * `GET /wait` is never answered: the floor under a waiter.
 */
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";

const echo = async (request: Request) => Response.json(await request.json(), { status: 201 });
const routes: Record<string, Record<string, typeof echo>> = {
  "/wait": { GET: () => new Promise<Response>(() => {}) },
};
for (const { http } of table as readonly AnyOperation[])
  for (const route of Array.isArray(http) ? (http as string[]) : []) {
    const [method, path] = route.split(" ") as [string, string];
    routes[path] = { ...routes[path], [method]: echo };
  }
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, routes: routes as never });
process.send!(`http://127.0.0.1:${server.port}`);
