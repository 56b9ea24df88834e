/** A hub of a test's own, in this process or as a child process, and a way to speak to it without our own client. */
import { join } from "node:path";
import { clientHeader } from "../../src/contract/headers.ts";
import { type HubOptions, startHub } from "../../src/hub.ts";
import { bareEnvironment, program } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";
import { until } from "./until.ts";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; throws if it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

export type Fields = Record<string, unknown>;
type More = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

/** `ask(url)("POST /api/messages", {…})`: one request as any HTTP client would make it. */
export const ask =
  (url: string, always: Record<string, string> = {}) =>
  async (route: string, body?: Fields, { headers, ...more }: More = {}): Promise<Answer> => {
    const [method, path] = route.split(" ") as [string, string];
    const type: Record<string, string> =
      body !== undefined
        ? { "content-type": "application/json" }
        : method === "GET"
          ? {}
          : { [clientHeader]: "test" };
    const response = await fetch(url + path, {
      method,
      headers: { ...type, ...always, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...more,
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      get json() {
        return JSON.parse(text);
      },
    };
  };

export type Ask = ReturnType<typeof ask>;

export interface TestHub {
  url: string;
  db: string;
  ask: Ask;
  /** The same with a token. */
  as(token: string): Ask;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function hubHere(options: Partial<HubOptions> = {}): Promise<TestHub> {
  const folder = temporaryFolder();
  const db = options.db ?? join(folder.path, "coord.db");
  const usual = { db, port: 0, host: "127.0.0.1", allowHosts: [], auth: false };
  const hub = await startHub({ ...usual, ...options });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= hub.stop();
    return stopped;
  };
  return {
    url: hub.url,
    db,
    ask: ask(hub.url),
    as: (token) => ask(hub.url, { authorization: `Bearer ${token}` }),
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      folder[Symbol.dispose]();
    },
  };
}

export interface ServedHub {
  url: string;
  db: string;
  pid: number;
  ask: Ask;
  exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
  /** All that it has said since it started, on both outputs, once that has come which is looked for. */
  said(wanted: RegExp): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** `inbox serve` as a child process. Without `db` in a folder of its own, which goes with it. */
export async function served(db?: string, ...more: string[]): Promise<ServedHub> {
  const folder = db === undefined ? temporaryFolder() : undefined;
  const path = db ?? join(folder!.path, "coord.db");
  const port = more.includes("--port") ? [] : ["--port", "0"];
  const child = Bun.spawn([program, "serve", ...port, "--json", "--db", path, ...more], {
    cwd: "/",
    env: bareEnvironment(),
    stdout: "pipe",
    stderr: "pipe",
  });
  let said = "";
  const hear = async (output: AsyncIterable<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of output) said += decoder.decode(bytes, { stream: true });
  };
  const heard = hear(child.stderr);
  const reader = child.stdout.getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) {
      await heard;
      throw new Error(`the hub ended with ${await child.exited}: ${text}${said}`);
    }
    text += new TextDecoder().decode(value);
  }
  reader.releaseLock();
  void hear(child.stdout);
  const { url, pid } = JSON.parse(text);
  return {
    url,
    db: path,
    pid,
    ask: ask(url),
    exited: child.exited,
    kill: (signal) => child.kill(signal),
    said: async (wanted) => {
      await until(`the hub has said ${wanted}`, () => wanted.test(said));
      return said;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      folder?.[Symbol.dispose]();
    },
  };
}
