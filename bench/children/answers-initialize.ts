/** The floor of `inbox mcp`: reads one line and answers it as a server would, by hand. */
for await (const line of console) {
  if (!line) break; // the end of input
  const { id, params } = JSON.parse(line) as { id: number; params: { protocolVersion: string } };
  const serverInfo = { name: "floor", version: "0" };
  const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

export {};
