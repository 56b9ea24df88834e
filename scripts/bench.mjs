/** `npm run bench`: measures, and leaves nothing running. */
import { join } from "node:path";
import { campaign } from "./campaign.mjs";
import { install, root } from "./setup.mjs";

install();
campaign(join(root, "bench/run.ts"), process.argv.slice(2));
