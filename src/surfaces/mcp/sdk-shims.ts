/**
 * Replaces a file of the SDK (tsconfig.build.json) that loads Ajv, which takes a fifth of the time until `initialize`
 * is answered, and validates only what we never ask a client for.
 */
import process from "node:process";

const ajv = () =>
  require("@modelcontextprotocol/server/validators/ajv") as typeof import("@modelcontextprotocol/server/validators/ajv");

export class DefaultJsonSchemaValidator {
  private loaded: InstanceType<ReturnType<typeof ajv>["AjvJsonSchemaValidator"]> | undefined;

  getValidator(schema: never) {
    this.loaded ??= new (ajv().AjvJsonSchemaValidator)();
    return this.loaded.getValidator(schema);
  }
}

export { process };
