/** The documents an entry points to: their bytes, and when they change. */

import type { DocumentState } from "../../src/contract/document.ts";
import { serverSent } from "../../src/surfaces/client/server-sent.ts";
import { api, send } from "./api.ts";

export type { DocumentState };

export const documentAddress = (entry: string, n: number) => `/api/inbox/${entry}/docs/${n}`;
/** An image beside a document, by its path in the workspace. */
export const imageAddress = (entry: string, path: string) =>
  `/api/inbox/${entry}/files?path=${encodeURIComponent(path)}`;

/** [U15] What the person has read of a document, and when. */
export interface LastRead {
  text: string;
  at: string;
}

/** By the documents' places in the entry. */
export async function fetchLastRead(id: string): Promise<ReadonlyMap<number, LastRead>> {
  const { documents } = await api.entries.changes({ id });
  return new Map(
    documents.flatMap(({ n, before, seenAt }) =>
      before === null || seenAt === null ? [] : [[n, { text: before, at: seenAt }] as const],
    ),
  );
}

export async function bytesOf(address: string, signal?: AbortSignal): Promise<Blob> {
  const response = await send(address, { signal });
  if (response.ok) return response.blob();
  const { error } = (await response.json().catch(() => ({}))) as { error?: { message: string } };
  throw new Error(error?.message ?? `the hub answered ${response.status}`);
}

/**
 * Every change of an entry's documents while it is open and in view: each watch is a connection, and a browser has six for
 * all its windows. It begins with how they are, so whoever comes back sees what was missed.
 */
export function watchDocuments(
  entry: string,
  changed: (state: DocumentState) => void,
  end: AbortSignal,
): void {
  let watch: AbortController | undefined;
  const look = () => {
    if (document.hidden) watch?.abort();
    else if (!watch || watch.signal.aborted) {
      watch = new AbortController();
      void watchOn(entry, changed, watch.signal);
    }
  };
  document.addEventListener("visibilitychange", look);
  end.addEventListener("abort", () => {
    document.removeEventListener("visibilitychange", look);
    watch?.abort();
  });
  look();
}

/** Ends with the signal; goes on after a cut. */
async function watchOn(
  entry: string,
  changed: (state: DocumentState) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await send(`/api/inbox/${entry}/docs/watch`, { signal });
      if (response.status === 404) return;
      if (response.ok && response.body)
        for await (const { data } of serverSent(response.body)) changed(JSON.parse(data));
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((done) => setTimeout(done, 1000));
  }
}
