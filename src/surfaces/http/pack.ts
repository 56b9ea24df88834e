/** Files that are embedded in the program as one file (web/pack.ts), and how they are sent. */

export interface PackedFile {
  type: string;
  brotli: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** The files of one pack, read on first use; `elsewhere` supplies it to a program that runs from source. */
export function packFiles(
  name: string,
  elsewhere: () => Promise<Blob>,
): () => Promise<Map<string, PackedFile>> {
  let loaded: Promise<Map<string, PackedFile>> | undefined;
  const load = async () => {
    const embedded = Bun.embeddedFiles.find((file) => (file as Blob & { name: string }).name.endsWith(name));
    return unpacked(new Uint8Array(await (embedded ?? (await elsewhere())).arrayBuffer()));
  };
  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

function unpacked(bytes: Uint8Array<ArrayBuffer>): Map<string, PackedFile> {
  const length = new DataView(bytes.buffer).getUint32(0);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as [
    path: string,
    type: string,
    brotli: number,
    gzip: number,
  ][];
  let at = 4 + length;
  const next = (size: number) => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  return new Map(
    index.map(([path, type, small, usual]) => {
      const [brotli, gzip] = [next(small), next(usual)];
      return [path, { type, brotli, gzip, etag: `"${Bun.hash(gzip).toString(36)}"` }];
    }),
  );
}

export function sent(request: Request, file: PackedFile, headers: Record<string, string>): Response {
  const all: Record<string, string> = {
    "content-type": file.type,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    etag: file.etag,
    vary: "accept-encoding",
    ...headers,
  };
  if (request.headers.get("if-none-match") === file.etag)
    return new Response(null, { status: 304, headers: all });
  const accepted = request.headers.get("accept-encoding") ?? "";
  if (file.brotli.length && /\bbr\b/.test(accepted))
    return new Response(file.brotli, { headers: { ...all, "content-encoding": "br" } });
  if (/\bgzip\b/.test(accepted))
    return new Response(file.gzip, { headers: { ...all, "content-encoding": "gzip" } });
  return new Response(Bun.gunzipSync(file.gzip), { headers: all });
}
