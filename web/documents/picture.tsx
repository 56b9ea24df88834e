/** An image of the workspace. Its bytes are asked for with our own token and shown from here, so that it can do nothing. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { bytesOf, imageAddress } from "../data/documents.ts";

export function BytesImage({
  address,
  alt,
  version,
}: {
  address: string;
  alt: string;
  version?: string | null;
}) {
  const url = useSignal<string | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const ending = new AbortController();
    let made: string | undefined;
    bytesOf(address, ending.signal).then(
      (blob) => {
        if (ending.signal.aborted) return;
        made = URL.createObjectURL(blob);
        url.value = made;
        problem.value = undefined;
      },
      (error: Error) => {
        if (!ending.signal.aborted) problem.value = error.message;
      },
    );
    return () => {
      ending.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [address, version, url, problem]);
  if (problem.value !== undefined)
    return (
      <span class="remote-image">
        {alt || "An image"} <small>({problem.value})</small>
      </span>
    );
  return url.value ? <img src={url.value} alt={alt} /> : <span class="image-place" aria-busy="true" />;
}

export const Picture = ({ entry, path, alt }: { entry: string; path: string; alt: string }) => (
  <BytesImage address={imageAddress(entry, path)} alt={alt} />
);
