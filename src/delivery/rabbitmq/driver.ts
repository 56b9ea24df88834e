/** Loaded when it is needed: it brings a part of the runtime that no other command has a use for. */
export const driver = () => require("rabbitmq-client") as typeof import("rabbitmq-client");
