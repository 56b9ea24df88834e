/** What record.ts loads of this engine when an address asks for it. */
export { createPostgres } from "./connect.ts";
export { copying } from "./copying.ts";
export { diagnosePostgres, notedHub } from "./doctor.ts";
export { openPostgres } from "./engine.ts";
export { dropSchema, replaceSchema, schemaOf, withSchema } from "./replace.ts";
export { migrations } from "./schema.ts";
export { openSnapshot } from "./snapshot.ts";
