/** [S2] Whether a hub can listen on an address, and what is in the way. */
import { InboxError } from "../contract/errors.ts";
import { blank, field, phrase, type Value } from "../contract/phrase.ts";

const ofServe = (name: string, value?: Value) => field(name, value, "bus.serve");

const listen = (hostname: string, port: number) =>
  Bun.listen({ hostname, port, socket: { data() {} } }).stop(true);

/** Whether nobody listens there. Any other reason against the address is reported by the hub itself. */
export function isFree(host: string, port: number): boolean {
  try {
    listen(host, port);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "EADDRINUSE";
  }
}

/** Whether a server can listen there; refused in words where another does, or the address is not this machine's. */
export async function bindable(host: string, port: number): Promise<void> {
  try {
    listen(host, port);
  } catch (error) {
    throw await cannotListen(error, host, port);
  }
}

/** Between the look and the start somebody may have taken the port. Anything else is no matter of the address. */
export const isOfSocket = (error: unknown) =>
  !(error instanceof InboxError) && /^E[A-Z]+$/.test(String((error as { code?: unknown }).code));

export async function cannotListen(error: unknown, host: string, port: number): Promise<unknown> {
  const { code } = error as { code?: string };
  if (code === "EADDRINUSE") return whoHolds(host, port);
  return new InboxError(
    "storage",
    `the hub cannot listen on ${port ? `${host}:${port}` : host} (${code ?? "the host is unknown"})`,
    {
      hint: phrase`give an address of this machine with ${ofServe("host")}, and a port you are allowed to use with ${ofServe("port")}`,
    },
  );
}

/** A hub that requires tokens tells callers without one only that it is running. */
interface Health {
  ok?: boolean;
  program?: string;
  pid?: number;
  db?: string;
}

/** A second hub on the same port is told what holds it. */
async function whoHolds(host: string, port: number): Promise<InboxError> {
  const hint = phrase`stop it, or choose another port with ${ofServe("port", blank("N"))}`;
  try {
    const answer = await fetch(`http://${host}:${port}/healthz`, { signal: AbortSignal.timeout(1000) });
    const { ok, program, pid, db } = (await answer.json()) as Health;
    if (ok && program === undefined)
      return new InboxError(
        "storage",
        `port ${port} is in use by another program that answers health checks`,
        {
          hint: phrase`it may be a hub that requires tokens: ${hint}`,
        },
      );
    if (program === "restante")
      return new InboxError(
        "storage",
        `port ${port} is in use by another hub (process ${pid}, database ${db})`,
        { hint },
      );
  } catch {
    // Something else, that does not speak our language.
  }
  return new InboxError("storage", `port ${port} on ${host} is in use by another program`, { hint });
}
