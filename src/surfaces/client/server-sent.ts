/** Reads server-sent events from a response body: a browser's EventSource cannot send a token. */
export async function* serverSent(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ type: string; data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const data = /^data: ?(.*)$/m.exec(block)?.[1];
        if (data !== undefined) yield { type: /^event: ?(.*)$/m.exec(block)?.[1] ?? "message", data };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
