/** What is done to database files as a whole, for the few commands that do it. */
export { copyDatabase, problemIn, replaceDatabase, settleDatabase, syncFolder } from "./copy-file.ts";
export { type Loader, openLoader } from "./load.ts";
