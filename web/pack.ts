/** Many files as one that the program carries inside, each compressed once. */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const types: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  svg: "image/svg+xml",
  json: "application/json; charset=utf-8",
  png: "image/png",
  txt: "text/plain; charset=utf-8",
  woff2: "font/woff2",
};

export interface Made {
  path: string;
  bytes: Uint8Array;
}

const encoded = (text: string) => new TextEncoder().encode(text);

const smallest = (bytes: Uint8Array) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });

/** Both ways a browser may ask for it; what is asked for plainly is made from the second. Without `small` there is only that. */
export function packed(files: Made[], { small: both = true } = {}): Uint8Array {
  const index: [path: string, type: string, brotli: number, gzip: number][] = [];
  const parts: Uint8Array[] = [];
  for (const { path, bytes } of files) {
    const small = both ? smallest(bytes) : new Uint8Array();
    const usual = gzipSync(bytes, { level: 9 });
    index.push([
      path,
      types[path.replace(/^.*\./, "")] ?? "application/octet-stream",
      small.length,
      usual.length,
    ]);
    parts.push(small, usual);
  }
  const head = encoded(JSON.stringify(index));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, head.length);
  return Buffer.concat([length, head, ...parts]);
}
