/** The carrier of an address. It is loaded only if one is configured. */
import { busId } from "../bus/outbox.ts";
import type { Engine } from "../engines/engine.ts";
import { carriedBy } from "./carried.ts";
import { parseBroker } from "./rabbitmq/address.ts";
import { rabbitDelivery } from "./rabbitmq/delivery.ts";

export { checkBroker } from "./rabbitmq/doctor.ts";

/** The engine, with its mail carried by the broker at that address. */
export const carriedTo = (
  address: string,
  engine: Engine,
  { brief, complain }: { brief: boolean; complain?: (message: string) => void },
): Engine => {
  const delivery = rabbitDelivery(parseBroker(address), () => engine.read(() => busId()), complain);
  return carriedBy(delivery, engine, brief);
};
