/** `fetch` for all tests (test/preload.ts): what a hub answers must be declared in its /openapi.json, whoever asks. */

type Fetch = (...args: Parameters<typeof fetch>) => ReturnType<typeof fetch>;

/** Pages, metrics and MCP have protocols of their own. */
export const isDocumented = (path: string) => /^\/(api|terminals|healthz|readyz)(\/|$)/.test(path);

export function declaredFetch(undeclared: Fetch): Fetch {
  return async (input, init) => {
    const response = await undeclared(input, init);
    const request = input instanceof Request ? input : undefined;
    const path = new URL(request?.url ?? String(input)).pathname;
    // What a proxy answers by itself, it says with this header.
    if (!isDocumented(path) || response.headers.has("via")) return response;
    const type = response.headers.get("content-type");
    // Only JSON is waited for: anything else may be a stream without an end.
    const isJson = type?.split(";")[0] === "application/json";
    const text = isJson ? await response.text() : "";
    const { status, headers } = response;
    const method = init?.method ?? request?.method ?? "GET";
    // Only when it is needed: most test files ask no hub, and the validator takes long to load.
    const { problemOf } = await import("./answers.ts");
    const problem = problemOf({ method, path, status, type, text });
    if (problem) throw new Error(problem);
    return isJson ? new Response(text, { status, headers }) : response;
  };
}
