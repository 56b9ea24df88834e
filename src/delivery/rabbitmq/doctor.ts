/** [C8] Whether the broker answers, and takes messages. */
import { type Finding, well } from "../../contract/finding.ts";
import { sleep } from "../../platform/runtime.ts";
import { parseBroker } from "./address.ts";
import { driver } from "./driver.ts";

const left = "the broker is a server of its own";
const answerWaitMs = 2000;

export async function checkBroker(address: string): Promise<Finding> {
  const { url, hosts, shown, quorum } = parseBroker(address);
  const connection = new (driver().Connection)({
    url,
    hosts,
    connectionTimeout: answerWaitMs,
    retryLow: 100,
  });
  let reason = `no answer within ${answerWaitMs / 1000} s`;
  connection.on("error", (error) => {
    reason = String(error?.message ?? error);
  });
  try {
    await connection.onConnect(answerWaitMs);
    const channel = await connection.acquire({ emitErrorsFromChannel: true });
    channel.on("error", () => {});
    await channel.confirmSelect();
    // Only a publisher is told about an alarm. To a queue that does not exist: the broker drops the message.
    const taken = channel.basicPublish({ routingKey: `restante.doctor.${crypto.randomUUID()}` }, "x").then(
      () => true,
      () => false,
    );
    const kind = quorum ? "quorum" : "classic";
    if (await Promise.race([taken, sleep(answerWaitMs).then(() => false)]))
      return well("delivery", `${shown} answers, ${kind} queues`);
    return {
      name: "delivery",
      status: "warn",
      detail: `${shown} is low on memory or disk and takes no messages: the database delivers`,
      fix: "rabbitmqctl status shows the alarm",
      left,
    };
  } catch {
    return {
      name: "delivery",
      status: "warn",
      detail: `${shown} cannot be reached (${reason}): the database delivers`,
      fix: "start the broker, or check the address and the user; nothing is lost meanwhile",
      left,
    };
  } finally {
    connection.unsafeDestroy();
  }
}
