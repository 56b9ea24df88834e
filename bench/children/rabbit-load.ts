/** Publishes durable messages with confirms from so many channels at once, each its next once the last is confirmed. */
import { Connection } from "rabbitmq-client";

const [url, count, forSeconds, body] = process.argv.slice(2) as [string, string, string, string];
const queue = "bench";
const connection = new Connection(url);
await connection.queueDeclare({ queue, durable: true });
await connection.queuePurge({ queue });
const publishers = Array.from({ length: Number(count) }, () => connection.createPublisher({ confirm: true }));
const latencies: number[] = [];
const started = performance.now();
const end = started + Number(forSeconds) * 1000;
await Promise.all(
  publishers.map(async (publisher) => {
    for (let before = performance.now(); before < end; before = performance.now()) {
      await publisher.send({ routingKey: queue, durable: true }, body);
      latencies.push(performance.now() - before);
    }
  }),
);
const elapsed = (performance.now() - started) / 1000;
latencies.sort((a, b) => a - b);
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
console.log(JSON.stringify({ perSecond: latencies.length / elapsed, p50: at(0.5), p99: at(0.99) }));
process.exit(0);
