/** [M13] Names that nobody has used, under which or for which a call waits: told in an empty answer, or when the wait begins. */
import { unknownAmong } from "../bus/name-use.ts";
import type { Unknown } from "../contract/recipient.ts";
import type { Engine } from "../engines/engine.ts";
import { noteOnce } from "./begin-note.ts";
import type { Calling } from "./handed.ts";

interface Asked {
  agent: string;
  /** Whose mail it waits for. */
  from?: readonly string[];
  timeoutSeconds?: number;
}

export class UnknownNames {
  #joined: string | undefined;
  readonly #note: (() => Promise<void>) | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly asked: Asked,
    call: Pick<Calling, "noteAtBegin">,
  ) {
    if (call.noteAtBegin) this.#note = noteOnce(call, asked.timeoutSeconds, () => this.found());
  }

  /** The agent was not known before this call. */
  join(joined: boolean | undefined): void {
    if (joined) this.#joined = this.asked.agent;
  }

  /** For the answer. `from`: those that it still waits for. Asks only if a name can be unknown. */
  async found(from = this.asked.from ?? []): Promise<{ unknown?: Unknown[] }> {
    const own = this.#joined;
    const names = own === undefined ? from : [own, ...from];
    return names.length ? this.engine.read((tx) => unknownAmong(tx, names, own)) : {};
  }

  readonly beforeSleep = async (joined: boolean): Promise<void> => {
    this.join(joined);
    await this.#note?.();
  };
}
