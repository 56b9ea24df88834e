/** The dependency arrow of ARCHITECTURE.md: who may import whom. Anything not allowed here is an error. */
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "..");

/** What asks the machine, below everything else. */
const machine = ["src/platform/c-library.ts", "src/platform/portable.ts", "src/platform/system.ts"];

/** The longest prefix that fits a file decides. A name may be a folder or a file. */
const allowed: Record<string, string[]> = {
  "src/contract": ["src/contract"],
  "src/sql": ["src/sql", "src/contract"],
  "src/bus": ["src/bus", "src/sql", "src/contract"],
  "src/engines/engine.ts": ["src/sql", "src/contract"],
  "src/engines/tables.ts": ["src/engines/engine.ts", "src/sql"],
  "src/engines/copy.ts": ["src/engines/tables.ts", "src/engines/engine.ts", "src/sql"],
  "src/engines/sqlite": [
    "src/engines/sqlite",
    "src/engines/tables.ts",
    "src/engines/subscription.ts",
    "src/engines/listeners.ts",
    "src/engines/facts.ts",
    "src/engines/engine.ts",
    "src/sql",
    "src/contract",
    "src/platform/c-library.ts",
    "src/platform/own-files.ts",
    "src/platform/system.ts",
    "src/platform/watch.ts",
  ],
  "src/engines/subscription.ts": ["src/engines/engine.ts"],
  "src/engines/listeners.ts": [],
  "src/engines/facts.ts": [],
  "src/engines/postgres": [
    "src/engines/postgres",
    "src/engines/facts.ts",
    "src/engines/tables.ts",
    "src/engines/subscription.ts",
    "src/engines/listeners.ts",
    "src/engines/engine.ts",
    "src/sql",
    "src/contract",
  ],
  "src/engines/registry.ts": ["src/engines", "src/location/locate.ts", "src/contract"],
  "src/delivery": [
    "src/delivery",
    "src/bus",
    "src/engines/engine.ts",
    "src/engines/subscription.ts",
    "src/sql",
    "src/contract",
  ],
  "src/waiting": ["src/waiting", "src/bus", "src/engines/engine.ts", "src/sql", "src/contract"],
  "src/documents": [
    "src/documents",
    "src/contract",
    "src/platform/descriptors.ts",
    "src/platform/portable.ts",
    "src/platform/system.ts",
    "src/platform/watch.ts",
  ],
  "src/inbox/handlers.ts": [
    "src/inbox/hand-over.ts",
    "src/orch/approval.ts",
    "src/orch/operations",
    "src/bus",
    "src/documents",
    "src/inbox/search.ts",
    "src/waiting",
    "src/engines/engine.ts",
    "src/sql",
    "src/contract",
    "src/platform/token-text.ts",
  ],
  "src/inbox/hand-over.ts": [
    "src/orch/operations/place.ts",
    "src/bus",
    "src/documents",
    "src/waiting",
    "src/engines/engine.ts",
    "src/contract",
  ],
  "src/platform/token-text.ts": [],
  "src/journal": [
    "src/journal",
    "src/bus",
    "src/engines/engine.ts",
    "src/sql",
    "src/platform/c-library.ts",
    "src/platform/own-files.ts",
    "src/platform/system.ts",
    "src/contract",
  ],
  "src/inbox/search.ts": ["src/bus", "src/engines/engine.ts", "src/contract"],
  "src/inbox/upkeep.ts": [
    "src/bus",
    "src/journal",
    "src/inbox/search.ts",
    "src/engines/engine.ts",
    "src/sql",
  ],
  "src/inbox/open-bus.ts": [
    "src/delivery",
    "src/engines",
    "src/journal",
    "src/location/locate.ts",
    "src/contract",
  ],
  "src/inbox/access.ts": ["src/bus/access.ts", "src/engines/engine.ts", "src/sql", "src/contract"],
  "src/inbox/inbox.ts": [
    "src/inbox/access.ts",
    "src/inbox/handlers.ts",
    "src/inbox/open-bus.ts",
    "src/orch/watch-over.ts",
    "src/journal",
    "src/inbox/upkeep.ts",
    "src/location/locate.ts",
    "src/platform/token-text.ts",
    "src/delivery",
    "src/bus",
    "src/waiting",
    "src/engines",
    "src/sql",
    "src/contract",
  ],
  "src/setup": ["src/setup", "src/location/locate.ts", "src/platform/system.ts", "src/contract"],
  "src/location/locate.ts": ["src/contract", "src/platform/own-files.ts", "src/platform/system.ts"],
  "src/platform/own-files.ts": ["src/contract", "src/platform/system.ts"],
  "src/platform/user-folders.ts": [],
  "src/location/trust.ts": [
    "src/location/locate.ts",
    "src/platform/own-files.ts",
    "src/platform/system.ts",
    "src/platform/user-folders.ts",
  ],
  "src/admin": [
    "src/admin",
    "src/bus/search.ts",
    "src/bus/task.ts",
    "src/delivery/broker.ts",
    "src/engines",
    "src/location",
    "src/orch",
    "src/platform",
    "src/setup",
    "src/sql",
    "src/contract",
  ],
  "src/admin/create-bus.ts": ["src/location/locate.ts", "src/engines", "src/location/trust.ts"],
  "src/platform/git-index.ts": ["src/platform/own-files.ts", "src/platform/system.ts"],
  "src/platform/portable.ts": [],
  "src/platform/c-library.ts": [],
  "src/platform/system.ts": ["src/platform/c-library.ts", "src/platform/portable.ts"],
  "src/platform/watch.ts": machine,
  "src/platform/memory.ts": machine,
  "src/platform/argument-bytes.ts": machine,
  "src/platform/descriptors.ts": machine,
  "src/platform/unread.ts": machine,
  "src/platform/processes": ["src/platform/processes", ...machine],
  "src/version.ts": ["package.json"],
  "src/sdk/namespaces.ts": ["src/contract"],
  "src/sdk/client.ts": ["src/sdk/namespaces.ts", "src/surfaces/client", "src/contract"],
  "src/sdk/tx.ts": ["src/sdk/namespaces.ts", "src/surfaces/client"],
  "src/sdk/sdk.ts": [
    "src/sdk/client.ts",
    "src/sdk/namespaces.ts",
    "src/admin/create-bus.ts",
    "src/inbox/inbox.ts",
    "src/location/locate.ts",
    "src/engines",
    "src/contract",
  ],
  "src/inbox/caller.ts": ["src/inbox/access.ts", "src/inbox/inbox.ts", "src/contract"],
  "src/orch/runners": [
    "src/orch/runners",
    "src/orch/profiles/profile.ts",
    "src/platform/system.ts",
    "src/contract",
    "src/version.ts",
  ],
  "src/orch/profiles/profile.ts": ["src/contract"],
  "src/orch/profiles/built-in.ts": ["src/orch/profiles/profile.ts"],
  "src/orch/profiles/table-reader.ts": ["src/contract"],
  "src/orch/profiles/profile-list.ts": [
    "src/orch/profiles/built-in.ts",
    "src/orch/profiles/profile.ts",
    "src/contract",
  ],
  "src/orch/profiles/profiles-file.ts": [
    "src/orch/profiles/built-in.ts",
    "src/orch/profiles/table-reader.ts",
    "src/orch/profiles/profile.ts",
    "src/orch/runners/template.ts",
    "src/platform/own-files.ts",
    "src/platform/system.ts",
    "src/contract",
  ],
  "src/orch": [
    "src/orch",
    "src/bus",
    "src/waiting/wait.ts",
    "src/engines/engine.ts",
    "src/location/locate.ts",
    "src/location/trust.ts",
    "src/platform",
    "src/sql",
    "src/contract",
  ],
  "src/surfaces/client": ["src/surfaces/client", "src/contract"],
  "src/hub.ts": [
    "src/admin/create-bus.ts",
    "src/engines",
    "src/inbox/inbox.ts",
    "src/orch/supervisor.ts",
    "src/surfaces/http",
    "src/contract",
  ],
  "src/surfaces/text": ["src/surfaces/text", "src/contract"],
  "src/surfaces/mcp": [
    "src/surfaces/mcp",
    "src/surfaces/text",
    "src/inbox/inbox.ts",
    "src/inbox/caller.ts",
    "src/platform/unread.ts",
    "src/version.ts",
    "src/contract",
    "docs/generated/tools.json",
    "skills",
  ],
  "src/surfaces/http": [
    "src/surfaces/http",
    "src/surfaces/mcp",
    "src/documents",
    "src/platform/system.ts",
    "src/inbox/inbox.ts",
    "src/inbox/caller.ts",
    "src/waiting/wait.ts",
    "src/version.ts",
    "src/contract",
    "docs/generated/openapi.json",
  ],
  "src/surfaces/cli": [
    "src/hub.ts",
    "src/orch/supervisor.ts",
    "src/orch/keeper.ts",
    "src/orch/retry.ts",
    "src/inbox/open-bus.ts",
    "src/orch/program.ts",
    "src/inbox/caller.ts",
    "src/surfaces/client",
    "src/surfaces/mcp",
    "src/surfaces/text",
    "src/surfaces/cli",
    "src/inbox/inbox.ts",
    "src/admin/operations.ts",
    "src/location/locate.ts",
    "src/platform",
    "src/version.ts",
    "src/contract",
  ],
  "src/main.ts": ["src/surfaces"],
  web: ["web", "src/sdk/client.ts", "src/surfaces/client/server-sent.ts", "src/contract"],
};

const within = (file: string, place: string) => file === place || file.startsWith(`${place}/`);
const problems: string[] = [];
let count = 0;
for await (const file of new Bun.Glob("{src,web}/**/*.{ts,tsx}").scan(root)) {
  const place = Object.keys(allowed)
    .filter((name) => within(file, name))
    .sort((a, b) => b.length - a.length)[0];
  if (!place) {
    problems.push(`${file} has no place in the arrow: add it to scripts/check-arrow.ts and ARCHITECTURE.md`);
    continue;
  }
  const text = await Bun.file(join(root, file)).text();
  for (const [, target] of text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)) {
    count++;
    const imported = relative(root, join(root, dirname(file), target!));
    if (!allowed[place]!.some((name) => within(imported, name)))
      problems.push(`${file} must not import ${imported}`);
  }
}

if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${count} imports follow the arrow`);
