/** The dependency arrow of ARCHITECTURE.md: who may import whom. Anything not allowed here is an error. */
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "..");

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
    "src/engines/facts.ts",
    "src/engines/engine.ts",
    "src/sql",
    "src/contract",
    "src/own-files.ts",
    "src/system.ts",
  ],
  "src/engines/subscription.ts": ["src/engines/engine.ts"],
  "src/engines/facts.ts": [],
  "src/engines/postgres": [
    "src/engines/postgres",
    "src/engines/facts.ts",
    "src/engines/tables.ts",
    "src/engines/subscription.ts",
    "src/engines/engine.ts",
    "src/sql",
    "src/contract",
  ],
  "src/engines/at.ts": ["src/engines", "src/location.ts", "src/contract"],
  "src/delivery": [
    "src/delivery",
    "src/bus",
    "src/engines/engine.ts",
    "src/engines/subscription.ts",
    "src/sql",
    "src/contract",
  ],
  "src/waiting": ["src/waiting", "src/bus", "src/engines/engine.ts", "src/sql", "src/contract"],
  "src/documents": ["src/documents", "src/contract", "src/system.ts"],
  "src/handlers.ts": [
    "src/orch/approval.ts",
    "src/orch/log.ts",
    "src/orch/operations.ts",
    "src/bus",
    "src/documents",
    "src/searching.ts",
    "src/waiting",
    "src/engines/engine.ts",
    "src/sql",
    "src/contract",
    "src/token-text.ts",
  ],
  "src/token-text.ts": [],
  "src/journal": [
    "src/journal",
    "src/bus",
    "src/engines/engine.ts",
    "src/sql",
    "src/own-files.ts",
    "src/system.ts",
    "src/contract",
  ],
  "src/searching.ts": ["src/bus", "src/engines/engine.ts", "src/contract"],
  "src/tending.ts": ["src/bus", "src/journal", "src/searching.ts", "src/engines/engine.ts", "src/sql"],
  "src/open-bus.ts": ["src/delivery", "src/engines", "src/journal", "src/location.ts", "src/contract"],
  "src/access.ts": ["src/bus/access.ts", "src/engines/engine.ts", "src/sql", "src/contract"],
  "src/inbox.ts": [
    "src/access.ts",
    "src/handlers.ts",
    "src/open-bus.ts",
    "src/orch/watch-over.ts",
    "src/journal",
    "src/tending.ts",
    "src/location.ts",
    "src/token-text.ts",
    "src/delivery",
    "src/bus",
    "src/waiting",
    "src/engines",
    "src/sql",
    "src/contract",
  ],
  "src/setup": ["src/setup", "src/location.ts", "src/system.ts", "src/contract"],
  "src/local.ts": [
    "src/create-bus.ts",
    "src/git-index.ts",
    "src/orch/approval.ts",
    "src/trusting.ts",
    "src/trust.ts",
    "src/setup",
    "src/migrate.ts",
    "src/engines",
    "src/delivery/at.ts",
    "src/location.ts",
    "src/contract",
  ],
  "src/migrate.ts": [
    "src/bus/search.ts",
    "src/create-bus.ts",
    "src/engines",
    "src/location.ts",
    "src/sql",
    "src/contract",
  ],
  "src/location.ts": ["src/contract", "src/own-files.ts", "src/system.ts"],
  "src/own-files.ts": ["src/contract", "src/system.ts"],
  "src/user-folders.ts": [],
  "src/trust.ts": ["src/location.ts", "src/own-files.ts", "src/system.ts", "src/user-folders.ts"],
  "src/create-bus.ts": ["src/location.ts", "src/engines", "src/trust.ts"],
  "src/git-index.ts": ["src/own-files.ts", "src/system.ts"],
  "src/trusting.ts": [
    "src/orch",
    "src/bus/task.ts",
    "src/engines",
    "src/location.ts",
    "src/own-files.ts",
    "src/trust.ts",
    "src/user-folders.ts",
    "src/contract",
  ],
  "src/system.ts": [],
  "src/version.ts": ["package.json"],
  "src/namespaces.ts": ["src/contract"],
  "src/client.ts": ["src/namespaces.ts", "src/surfaces/client", "src/contract"],
  "src/tx.ts": ["src/namespaces.ts", "src/surfaces/client"],
  "src/sdk.ts": [
    "src/client.ts",
    "src/namespaces.ts",
    "src/create-bus.ts",
    "src/inbox.ts",
    "src/location.ts",
    "src/engines",
    "src/contract",
  ],
  "src/identity.ts": ["src/access.ts", "src/inbox.ts", "src/contract"],
  "src/orch/runners": [
    "src/orch/runners",
    "src/orch/profile.ts",
    "src/system.ts",
    "src/contract",
    "src/version.ts",
  ],
  "src/orch/profile.ts": ["src/contract"],
  "src/orch/built-in.ts": ["src/orch/profile.ts"],
  "src/orch/profile-table.ts": ["src/contract"],
  "src/orch/profile-list.ts": ["src/orch/built-in.ts", "src/orch/profile.ts", "src/contract"],
  "src/orch/profiles.ts": [
    "src/orch/built-in.ts",
    "src/orch/profile-table.ts",
    "src/orch/profile.ts",
    "src/orch/runners/template.ts",
    "src/own-files.ts",
    "src/system.ts",
    "src/contract",
  ],
  "src/orch": [
    "src/orch",
    "src/bus",
    "src/waiting/wait.ts",
    "src/engines/engine.ts",
    "src/git-index.ts",
    "src/location.ts",
    "src/own-files.ts",
    "src/system.ts",
    "src/trust.ts",
    "src/user-folders.ts",
    "src/token-text.ts",
    "src/sql",
    "src/contract",
  ],
  "src/surfaces/client": ["src/surfaces/client", "src/contract"],
  "src/hub.ts": [
    "src/create-bus.ts",
    "src/engines",
    "src/inbox.ts",
    "src/orch/supervisor.ts",
    "src/surfaces/http",
    "src/contract",
  ],
  "src/surfaces/text": ["src/surfaces/text", "src/contract"],
  "src/surfaces/mcp": [
    "src/surfaces/mcp",
    "src/surfaces/text",
    "src/inbox.ts",
    "src/identity.ts",
    "src/version.ts",
    "src/contract",
    "docs/generated/tools.json",
    "skills",
  ],
  "src/surfaces/http": [
    "src/surfaces/http",
    "src/surfaces/mcp",
    "src/documents",
    "src/system.ts",
    "src/inbox.ts",
    "src/identity.ts",
    "src/waiting/wait.ts",
    "src/version.ts",
    "src/contract",
    "docs/generated/openapi.json",
  ],
  "src/surfaces/cli": [
    "src/hub.ts",
    "src/orch/supervisor.ts",
    "src/orch/keeper.ts",
    "src/orch/patience.ts",
    "src/open-bus.ts",
    "src/orch/program.ts",
    "src/orch/system-calls.ts",
    "src/identity.ts",
    "src/surfaces/client",
    "src/surfaces/mcp",
    "src/surfaces/text",
    "src/surfaces/cli",
    "src/inbox.ts",
    "src/local.ts",
    "src/location.ts",
    "src/system.ts",
    "src/user-folders.ts",
    "src/version.ts",
    "src/contract",
  ],
  "src/main.ts": ["src/surfaces"],
  web: ["web", "src/client.ts", "src/surfaces/client/server-sent.ts", "src/contract"],
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
