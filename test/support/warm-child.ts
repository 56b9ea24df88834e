/** The other end of warm.ts: command lines come as messages, one at a time, and what they print goes to this process's own outputs. */
import { main } from "../../src/surfaces/cli/main.ts";
import type { Asked } from "./warm.ts";

process.on("message", async ({ program, argv, cwd, env }: Asked) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.send!(await main(argv, program));
});
process.send!("ready");
