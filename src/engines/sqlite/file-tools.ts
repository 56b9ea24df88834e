/** What is done to database files as a whole, for the few commands that do it. */
export { copyDatabase, problemIn, replaceDatabase, settleDatabase } from "./copy-file.ts";
export { type Loader, openLoader } from "./load.ts";
export { syncFolder } from "./vacuum-into.ts";
