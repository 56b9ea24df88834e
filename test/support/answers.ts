/** Whether an answer of the hub is one that its own /openapi.json declares. */
import Ajv, { type ValidateFunction } from "ajv/dist/2020.js";
import openapi from "../../docs/generated/openapi.json" with { type: "json" };
import { isDocumented } from "./declared-fetch.ts";

interface Declared {
  description: string;
  content?: Record<string, { schema?: object }>;
}

interface Documented {
  pattern: RegExp;
  /** The more of a path is said outright, the sooner it is meant. */
  fields: number;
  methods: Record<string, { responses: Record<string, Declared> }>;
}

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: "hub", components: openapi.components });

const documented: Documented[] = Object.entries(openapi.paths)
  .map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
    fields: path.split("{").length,
    methods: methods as unknown as Documented["methods"],
  }))
  .sort((a, b) => a.fields - b.fields);

const compiled = new WeakMap<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const found = compiled.get(schema);
  if (found) return found;
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"hub#/components'));
  const made = ajv.compile(absolute);
  compiled.set(schema, made);
  return made;
}

export interface Answered {
  method: string;
  /** Without its query. */
  path: string;
  status: number;
  type: string | null;
  text: string;
}

const anyRefusal = { $ref: "#/components/schemas/Error" };

/** What is wrong with an answer; undefined where nothing is. */
export function problemOf({ method, path, status, type, text }: Answered): string | undefined {
  if (!isDocumented(path) || method === "HEAD" || status === 304) return undefined;
  if (status >= 500 && status !== 503) return `${status} is no answer: ${text}`;
  const route = documented.find(
    ({ pattern, methods }) => pattern.test(path) && methods[method.toLowerCase()] !== undefined,
  );
  if (!route && status < 400) return `${method} ${path} is not in /openapi.json, and answered ${status}`;
  const responses = route?.methods[method.toLowerCase()]?.responses ?? {};
  const declared = responses[status] ?? (status >= 400 ? responses.default : undefined);
  if (route && !declared) return `${status} is declared for no answer of ${method} ${path}`;
  const media = declared?.content ?? { "application/json": { schema: anyRefusal } };
  if ("*/*" in media) return undefined;
  const kind = type?.split(";")[0] ?? "";
  const schema = media[kind]?.schema;
  if (!(kind in media))
    return `${method} ${path} ${status} is of type ${kind}, declared is ${Object.keys(media)}`;
  if (!schema || kind !== "application/json") return undefined;
  const validate = validatorOf(schema);
  if (validate(JSON.parse(text))) return undefined;
  return `${method} ${path} ${status} is outside of its schema: ${ajv.errorsText(validate.errors)}\n${text}`;
}
