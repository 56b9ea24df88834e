/** The operations of the queue that need more than the database, loaded together when the first of them is called. */

export { interruptWith } from "./mailbox-send.ts";
export { withLastLines } from "./stats-show.ts";
export { assignTo } from "./tasks-assign.ts";
export { diffOf } from "./tasks-diff.ts";
export { discard } from "./tasks-discard.ts";
export { editTo } from "./tasks-edit.ts";
export { merge } from "./tasks-merge.ts";
export { permitTool } from "./tasks-permit.ts";
export { listProfiles } from "./tasks-profiles.ts";
export { pushTo } from "./tasks-push.ts";
export { sendTo } from "./tasks-send.ts";
export { withResume } from "./tasks-show.ts";
