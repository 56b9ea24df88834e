/** Loaded when it is needed: it imports a part of the runtime that no other command needs. */
export const driver = () => require("rabbitmq-client") as typeof import("rabbitmq-client");
