/** An agent in the middle of ten tool calls, as Claude Code is one: each does some work, then the hook runs, and what it says is seen. */
import { sharedNow } from "../support/clock.ts";

const [hook, workMs] = process.argv.slice(2) as [string, string];
for (let call = 0; call < 10; call++) {
  const begun = sharedNow();
  process.send!({ call, begun });
  await Bun.sleep(Number(workMs));
  const { stdout } = Bun.spawnSync(["sh", hook, "PostToolUse"], { stdin: "ignore", stderr: "inherit" });
  process.send!({ call, begun, ended: sharedNow(), seen: stdout.toString().includes("additionalContext") });
}
process.disconnect!();
