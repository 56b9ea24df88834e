/** [Q7] The process that supervises, so that other processes on its host see at once that it was killed. */
import type { HasDied } from "../bus/tasks/supervision.ts";
import { identityOf, lives } from "../platform/processes/processes.ts";
import { thisHost } from "./paths.ts";

/** Host and process, separated by a character that no host name has. */
export const thisProcess = () => `${thisHost()} ${identityOf(process.pid)}`;

export const hostIn = (holder: string) => holder.split(" ", 1)[0]!;

/** Of a process on another host nothing can be known here, and its pid is that of another process here. */
export const isOfThisHost = (holder: string) => hostIn(holder) === thisHost();

/** About a process on another host only its lease is known. */
export const hasDied: HasDied = (holder) => isOfThisHost(holder) && !lives(holder.split(" ")[1] ?? "");
