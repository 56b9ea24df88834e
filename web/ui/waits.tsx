/** Instead of what it did last: that it waits for an answer, and whose. */
import { type Wait, waitingFor } from "../data/waits.ts";

export const Waits = ({ wait }: { wait: Wait }) => <span class="waits">{waitingFor(wait)}</span>;
