/** An image of the workspace. Its bytes are fetched with the page's token and shown from memory, so that it runs and loads nothing. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { bytesOf, imageAddress } from "../data/documents.ts";
import { useLoaded } from "../data/store.ts";

export function BytesImage({
  address,
  alt,
  version,
}: {
  address: string;
  alt: string;
  version?: string | null;
}) {
  const { value, problem } = useLoaded({ fetch: (signal) => bytesOf(address, signal) }, [address], version);
  const url = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (!value) return;
    const made = URL.createObjectURL(value);
    url.value = made;
    return () => URL.revokeObjectURL(made);
  }, [value, url]);
  if (problem)
    return (
      <span class="remote-image">
        {alt || "Image"} <small>({problem.message})</small>
      </span>
    );
  return url.value ? <img src={url.value} alt={alt} /> : <span class="image-place" aria-busy="true" />;
}

export const Picture = ({ entry, path, alt }: { entry: string; path: string; alt: string }) => (
  <BytesImage address={imageAddress(entry, path)} alt={alt} />
);
