/** A hub as a person would find it: workspaces with documents, agents that pushed them, threads, messages, a dead letter. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Ask } from "./hub.ts";
import { overHttp, revisions, type Visitor } from "./mcp.ts";

export interface Workspace {
  id: string;
  path: string;
  agent: string;
  write(path: string, text: string | Uint8Array): void;
  /** `inbox_push`, as the workspace's agent calls it. */
  push(what: { docs?: string[]; comments?: string; choices?: string[] }): Promise<string>;
}

export async function workspace(
  hub: { url: string; ask: Ask },
  folder: string,
  label: string,
  agent: string,
): Promise<Workspace & AsyncDisposable> {
  mkdirSync(folder, { recursive: true });
  const { json } = await hub.ask("POST /api/workspaces", { path: folder, label, agent });
  const id: string = json.workspace.workspaceId;
  let visitor: Visitor | undefined;
  return {
    id,
    path: folder,
    agent,
    write(path, text) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    async push({ docs, comments, choices }) {
      visitor ??= await overHttp(`${hub.url}/mcp/${id}`, revisions[0]);
      const { fields, failed, text } = await visitor.call("inbox_push", {
        ...(docs && { docs: docs.map((path) => ({ path })) }),
        ...(comments !== undefined && { comments }),
        ...(choices && { choices }),
      });
      if (failed) throw new Error(text);
      return fields.id;
    },
    [Symbol.asyncDispose]: async () => visitor?.[Symbol.asyncDispose](),
  };
}

const report = `# FOMC, and what it means for us

The committee held rates and **changed its language**: "somewhat elevated" became "has eased". Two of the three scenarios below are now live.[^1]

| Scenario | Probability | 10-year | Action |
|---|--:|--:|---|
| Soft landing | 55 % | 4.1 % | add duration |
| Higher for longer | 30 % | 4.7 % | hold |
| Hard landing | 15 % | 3.2 % | hedge |

- [x] Statement compared with the last one, word for word
- [x] Dot plot read
- [ ] Rates section extended (waiting for your take)

\`\`\`mermaid
flowchart LR
  A[Statement] --> B{Language changed?}
  B -->|yes| C[Re-weigh scenarios]
  B -->|no| D[Keep the book]
  C --> E[Report]
  D --> E
\`\`\`

The breakeven moves with the expected path:

$$\\pi^e_{10} = y_{10} - r_{10} \\approx 2.31\\,\\%$$

\`\`\`python
def breakeven(nominal: float, real: float) -> float:
    """Ten-year inflation the market pays for."""
    return round(nominal - real, 2)  # in per cent
\`\`\`

![The curve, before and after](charts/curve.svg)

[^1]: The third needs a shock that nobody prices today.
`;

const curve = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 200" width="640" height="200"><rect width="640" height="200" fill="#f4f4fa"/><path d="M30 150C150 120 260 80 610 60" fill="none" stroke="#9aa" stroke-width="3"/><path d="M30 130C160 126 280 92 610 78" fill="none" stroke="#5058c4" stroke-width="3"/><text x="34" y="30" font-family="sans-serif" font-size="14" fill="#555">Yield curve, before (grey) and after</text></svg>`;

/** Sub-agents here are shell commands. */
export const shellProfile = 'default = "sh"\n[runners.sh]\ncommand = ["sh", "-c", "{prompt}"]\n';

export async function scene(
  hub: { url: string; db: string; ask: Ask },
  folder: string,
): Promise<AsyncDisposable> {
  writeFileSync(join(dirname(hub.db), "agents.toml"), shellProfile);
  const macro = await workspace(hub, join(folder, "macro"), "Macro thesis 2026-05", "macro-analyst");
  const web = await workspace(hub, join(folder, "checkout"), "Checkout rewrite", "checkout-dev");
  const data = await workspace(hub, join(folder, "data"), "Data quality", "data-janitor");
  macro.write("research/fomc.md", report);
  macro.write("research/charts/curve.svg", curve);
  web.write(
    "src/cart.ts",
    `export interface Line {\n  sku: string;\n  amount: number;\n  price: bigint; // in cents: no floats for money\n}\n\nexport const total = (lines: readonly Line[]) =>\n  lines.reduce((sum, { amount, price }) => sum + BigInt(amount) * price, 0n);\n`,
  );
  web.write(
    "CHANGES.md",
    "## What changed\n\n1. Totals are counted in cents, as `bigint`.\n2. The old rounding bug (`0.1 + 0.2`) is gone, with a test.\n\n> Nothing else was touched.\n",
  );
  data.write(
    "orders.csv",
    `order,customer,total,state\n${Array.from({ length: 40 }, (_, i) => `${1000 + i},"Customer, No. ${i + 1}",${(i * 13.37 + 20).toFixed(2)},${["paid", "open", "late"][i % 3]}`).join("\n")}\n`,
  );
  data.write(
    "profile.json",
    JSON.stringify(
      {
        rows: 40,
        nulls: { customer: 0, total: 2 },
        ranges: { total: [20, 541.43] },
        ok: true,
        sample: [1000, 1001, 1002],
      },
      null,
      2,
    ),
  );
  data.write("dump.parquet", new Uint8Array(48_213));

  await data.push({
    docs: ["orders.csv", "profile.json", "dump.parquet"],
    comments:
      "Nightly check: **2 orders without a total**, the rest is clean. The dump is attached if you want to look yourself.",
  });
  await web.push({
    docs: ["CHANGES.md", "src/cart.ts"],
    comments: "Done with the totals. Ready for review; the diff is small on purpose.",
  });
  await data.push({ comments: "Halfway through the backfill: 12 of 24 months. No surprises so far." });
  await hub.ask("POST /api/threads", {
    from: "leader",
    to: "deployer",
    subject: "Deploy v2.3.1 to production",
  });
  await hub.ask("POST /api/threads/claim", { agent: "deployer", thread: "thr_1" });
  await hub.ask("POST /api/threads/thr_1/update", {
    agent: "deployer",
    status: "in_progress",
    summary: "Built and signed",
  });
  await hub.ask("POST /api/threads", {
    from: "user",
    to: "researcher",
    subject: "Which queue do our peers use?",
    priority: "high",
  });
  await hub.ask("POST /api/threads/claim", { agent: "researcher" });
  await hub.ask("POST /api/threads/thr_2/update", {
    agent: "researcher",
    status: "blocked",
    summary: "Only open source, or vendors too?",
    payload: { choices: ["Open source only", "Vendors too", "Skip it"] },
  });
  await hub.ask("POST /api/threads", { from: "leader", to: "backend", subject: "Add pagination to /orders" });
  await hub.ask("POST /api/threads", { from: "leader", to: "tester", subject: "Flaky test in checkout" });
  await hub.ask("POST /api/threads/claim", { agent: "tester" });
  await hub.ask("POST /api/threads/thr_4/done", {
    agent: "tester",
    summary: "It was a race in the fixture; fixed, 200 runs green",
  });
  for (const [channel, content, sender] of [
    ["builds", "v2.3.0 deployed to staging", "ci"],
    ["builds", "v2.3.1 built, 412 tests green", "ci"],
    ["builds", "v2.3.1 signed", "release-bot"],
    ["deployer", "Please wait for the signature before you go on", "leader"],
  ])
    await hub.ask("POST /api/messages", { channel, content, sender });
  for (const [name, prompt] of [
    [
      "survey",
      "Read the ten newest papers on lease-based locking and list what they agree on, with sources.",
    ],
    ["write-up", "Turn the survey into two pages for people who run databases, with one diagram."],
    ["proofread", "Proofread the two pages. Change nothing that is right."],
  ])
    await hub.ask("POST /api/tasks", { agent: "main", name, prompt, cwd: folder });
  await macro.push({
    docs: ["research/fomc.md"],
    comments:
      "Drafted the FOMC piece. **Want a take on the rates section** before I extend it: do you still believe in the soft landing at 55 %?",
  });
  return {
    [Symbol.asyncDispose]: async () => {
      for (const one of [macro, web, data]) await one[Symbol.asyncDispose]();
    },
  };
}
