/** The plainest of load balancers: each request goes to the next one in line, whoever sent it. */

export interface Balancer {
  url: string;
  /** How many requests it has passed on to each. */
  passed: number[];
  /** The next so many requests get this answer, which is not a hub's. */
  fail(status: number, times: number): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export function startBalancer(hubs: readonly { url: string }[]): Balancer {
  const passed = hubs.map(() => 0);
  let turn = 0;
  let failing = { status: 0, times: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request, server) {
      server.timeout(request, 0);
      if (failing.times-- > 0)
        return new Response("<html>Bad Gateway</html>", {
          status: failing.status,
          headers: { "content-type": "text/html", via: "1.1 balancer" },
        });
      const which = turn++ % hubs.length;
      passed[which]!++;
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete("host");
      return fetch(hubs[which]!.url + pathname + search, {
        method: request.method,
        headers,
        body: request.method === "GET" ? undefined : await request.arrayBuffer(),
        signal: request.signal,
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    passed,
    fail: (status, times) => {
      failing = { status, times };
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
