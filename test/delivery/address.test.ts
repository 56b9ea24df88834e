/** The address of a broker: which are taken, and that nobody sees its password. */
import { expect, test } from "bun:test";
import { InboxError } from "../../src/contract/errors.ts";
import { parseBroker } from "../../src/delivery/rabbitmq/address.ts";

const secret = "s3cret";

function refused(address: string): InboxError {
  try {
    parseBroker(address);
  } catch (error) {
    if (error instanceof InboxError) return error;
    throw error;
  }
  throw new Error(`${address} was taken`);
}

test.each([
  "http://x",
  `http://u:${secret}@h`,
  "amqp://",
  "amqp:///",
  "amqp:///vhost",
  "amqp://:5672",
  "amqps://u@",
  "amqp://h:99999",
  "amqp://h?queues=maybe",
  "amqp://h?queues=",
  `amqp://u:${secret}@h:99999`,
  `amqp://u:${secret}@h?queues=maybe`,
  `amqp://u:${secret}@a:1,b:none`,
  `amqp://u:${secret}@a,`,
  "amqp://a,[::1]:5672",
  `amqp://u:${secret}/x@h`,
  `amqp://u:x@${secret}@h:no`,
  `amqp://u:${secret}%zz@h`,
  "amqp://us%er@h",
  "amqp://h/%zz",
  `amqp://u:${secret} x@h`,
  `amqp://u:${secret}\n@h`,
  `amqp:u:${secret}@h`,
  `amqp:/u:${secret}@h`,
  `u:${secret}@h`,
  ` amqp://u:${secret}@h`,
  "",
])("[G3] %p is no address of a broker: invalid_input, without a password", (address) => {
  const { code, message, hint } = refused(address);
  expect(code).toBe("invalid_input");
  expect(message + hint).not.toContain(secret);
});

test("[G3] an address says where the broker is and how queues are made; the driver gets only its own options", () => {
  const at = (address: string) => {
    const { url, quorum, shown } = parseBroker(address);
    return [url, quorum, shown];
  };
  expect(at("amqp://u:p%40ss@h:5672")).toEqual(["amqp://u:p%40ss@h:5672", false, "amqp://u@h:5672"]);
  expect(at("amqps://h/v%2Fhost?queues=classic")).toEqual(["amqps://h/v%2Fhost", false, expect.any(String)]);
  expect(at("amqp://h?queues=quorum&heartbeat=5")).toEqual([
    "amqp://h?heartbeat=5",
    true,
    expect.any(String),
  ]);
  expect(parseBroker(`amqp://u:${secret}@a:1,b:2/v?queues=quorum`)).toEqual({
    url: `amqp://u:${secret}@a:1/v`,
    hosts: ["a:1", "b:2"],
    quorum: true,
    shown: "amqp://u@a:1,b:2/v?queues=quorum",
  });
  expect(at("amqp://[::1]:5672")).toEqual(["amqp://[::1]:5672", false, "amqp://[::1]:5672"]);
});
