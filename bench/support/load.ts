/** Load from a process of its own, written in C: so many connections, each with its next request once the last is answered. */
import { join } from "node:path";
import { need } from "./servers.ts";

export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
}

/** wrk: the same JSON posted again and again. A refusal fails the whole. */
export async function post(url: string, connections: number, body: string, seconds: number): Promise<Load> {
  const script = join(import.meta.dir, "../children/post.lua");
  const text = await output(
    ...[
      need("wrk"),
      "-t",
      "1",
      "-c",
      String(connections),
      "-d",
      `${seconds}s`,
      "-s",
      script,
      url,
      "--",
      body,
    ],
  );
  const { requests, us, p50, p99, failed } = JSON.parse(text.trim().split("\n").at(-1)!);
  if (failed) throw new Error(`${failed} of ${requests} requests to ${url} failed`);
  return { perSecond: requests / (us / 1e6), p50: p50 / 1000, p99: p99 / 1000 };
}

/** redis-benchmark wants a count, not a time: a short run says how many fit. */
export async function redisAppend(
  url: string,
  connections: number,
  body: string,
  seconds: number,
): Promise<Load> {
  const run = async (count: number) => {
    const { port } = new URL(url);
    const options = `-p ${port} -c ${connections} -n ${count} --csv`.split(" ");
    const text = await output(need("redis-benchmark"), ...options, "xadd", "builds", "*", "message", body);
    const line = text
      .trim()
      .split("\n")
      .at(-1)!
      .match(/"[\d.]+"/g)!;
    const [rate, , , p50, , p99] = line.slice(-7).map((cell) => Number(cell.slice(1, -1)));
    return { perSecond: rate!, p50: p50!, p99: p99! };
  };
  const { perSecond } = await run(connections * 100);
  return run(Math.ceil(perSecond * seconds));
}

async function output(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit"] });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command[0]} ended with ${child.exitCode}: ${text}`);
  return text;
}

/** Durable publishes to RabbitMQ, each channel's next once its last is confirmed. */
export async function rabbitPublish(
  url: string,
  count: number,
  body: string,
  forSeconds: number,
): Promise<Load> {
  const script = join(import.meta.dir, "../children/rabbit-load.ts");
  const child = Bun.spawn([process.execPath, script, url, String(count), String(forSeconds), body], {
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text());
}
