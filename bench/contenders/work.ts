/** What is sent to us, in the client's process and over HTTP alike. */
import { mostClients, text } from "./contender.ts";

export const worker = "worker";
export const channel = "builds";
export const inboxOf = (client: number) => `agent-${client}`;
export const everybody = [worker, channel, ...Array.from({ length: mostClients }, (_, i) => inboxOf(i))];
export const messageTo = (channel: string) => ({ channel, content: text, sender: "ci" });
export const threadTo = (to: string) => ({ from: "leader", to, subject: "Add the routes", body: text });
