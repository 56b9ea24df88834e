/**
 * [C14.5] Operations and fields as a program writes them that uses the SDK. What the SDK has no call for is written as
 * a shell command, for the person who runs the program.
 */
import { type Reference, type Spelling, type Value, valueText } from "../../contract/phrase.ts";
import { inShell } from "./shell.ts";

type Input = Readonly<Record<string, Value>>;

const objectText = (input: Input) =>
  `{ ${Object.entries(input)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join(", ")} }`;

/** The calls of channels take these in front of the object, as their protocol has them. */
const inFront: Readonly<Record<string, string>> = {
  "messages.inbox": "channel",
  "messages.wait": "channel",
  "messages.ackAll": "channel",
  "messages.pending": "channel",
  "messages.readers": "channel",
  "messages.read": "id",
  "messages.ack": "id",
  "messages.status": "id",
  "messages.replies": "correlationId",
};

function callText(operation: string, input: Input): string {
  const first = inFront[operation];
  const { [first ?? ""]: front, ...rest } = input;
  const given = [
    ...(front === undefined ? [] : [valueText(front)]),
    ...(Object.keys(rest).length ? [objectText(rest)] : []),
  ];
  return `inbox.${operation}(${given.join(", ")})`;
}

/** `opensFiles`: the SDK of the package itself, which can also create a bus; `restante/client` only asks hubs. */
export const inPrograms =
  ({ opensFiles }: { opensFiles: boolean }): Spelling =>
  (reference: Reference) => {
    switch (reference.is) {
      case "field":
        return reference.value === undefined
          ? reference.name
          : `${reference.name}: ${valueText(reference.value)}`;
      case "call": {
        const { operation, input, options } = reference;
        if (!operation.startsWith("bus.")) return callText(operation, input);
        return operation === "bus.init" && opensFiles && options.db !== undefined && options.db !== false
          ? `Inbox.open(${valueText(options.db)}, { create: true })`
          : `\`${inShell()(reference)}\``;
      }
      case "help":
        return reference.operation === undefined ? undefined : `\`${inShell()(reference)}\``;
      case "option":
        return reference.name === "token"
          ? `Inbox.open(URL, ${objectText({ token: reference.value ?? "TOKEN" })})`
          : undefined;
      case "variable":
        return reference.name;
      case "file":
        return undefined;
    }
  };
