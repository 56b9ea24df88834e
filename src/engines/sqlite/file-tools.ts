/** Operations on whole database files, for the few commands that need them. */
export { copyDatabase, problemIn, replaceDatabase, settleDatabase } from "./copy-file.ts";
export { entriesAmong } from "./entries-among.ts";
export { type Loader, openLoader } from "./load.ts";
export { syncFolder } from "./vacuum-into.ts";
