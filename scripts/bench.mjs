/** `npm run bench`: measures, and leaves nothing running. */
import { join } from "node:path";
import { campaign } from "./campaign.mjs";
import { installForBenchmarks } from "./debian.mjs";
import { install, root } from "./setup.mjs";

install();
installForBenchmarks();
campaign(join(root, "bench/run.ts"), process.argv.slice(2));
