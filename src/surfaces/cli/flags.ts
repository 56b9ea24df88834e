/** The flags of an operation, derived from its input schema. */
import { type Field, fieldsOf } from "../../contract/fields.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { spelledWhole } from "../../contract/phrase.ts";
import { flagName, inShell } from "../spelling/shell.ts";
import type { Program } from "./commands.ts";

export interface Flag {
  /** With its dashes: `--lease-seconds`. */
  name: string;
  /** The input field it fills. */
  field: Field;
  /** What it does with the field: sets it, reads it from a file, or adds to the artifact before it. */
  role: "value" | "file" | "artifact" | "artifact-kind" | "artifact-metadata";
  /** The name of its value; a flag without a value is a switch. */
  value?: string;
  help: string;
  /** For a flag that help does not show: the flag that help shows instead. */
  shownAs?: string;
}

interface Derived {
  shown: Flag[];
  former: Flag[];
}

const derived = new Map<AnyOperation, Derived>();

/** The flags that help, completion and the reference show. */
export const flagsOf = (op: AnyOperation): Flag[] => derivedOf(op).shown;

/** Those, and their former names. */
export function acceptedFlagsOf(op: AnyOperation): Flag[] {
  const { shown, former } = derivedOf(op);
  return [...shown, ...former];
}

function derivedOf(op: AnyOperation): Derived {
  let flags = derived.get(op);
  if (!flags) {
    const fields = fieldsOf(op.input());
    // [C9] The caller is --agent with every command: --from and --sender can also name other agents.
    const isCaller = ({ key }: Field) => key === op.cli.identity && key !== "agent";
    flags = {
      shown: fields.filter((field) => !isCaller(field)).flatMap((field) => flagsOfField(op, field)),
      former: fields.flatMap((field) =>
        isCaller(field)
          ? flagsOfField(op, field).map((flag) => ({ ...flag, shownAs: "--agent" }))
          : formerFlagsOf(field),
      ),
    };
    if (op.kind === "write") flags.shown.push(keyFlag);
    derived.set(op, flags);
  }
  return flags;
}

function formerFlagsOf(field: Field): Flag[] {
  if (field.formerFlag === undefined) return [];
  const name = `--${field.formerFlag}`;
  const shownAs = flagName(field);
  const flag: Flag = { name, field, role: "value", value: field.value, help: "", shownAs };
  const fromFile = { name: `${name}-file`, role: "file", value: "PATH", shownAs: `${shownAs}-file` } as const;
  return field.file ? [flag, { ...flag, ...fromFile }] : [flag];
}

/** [M9] A flag of every write, although no operation lists it. */
const keyField = {
  key: "idempotencyKey",
  type: "text",
  required: false,
  help: "calls repeated with this key within 7 days take effect once",
} satisfies Field;
const keyFlag: Flag = {
  name: "--idempotency-key",
  field: keyField,
  role: "value",
  value: "KEY",
  help: keyField.help,
};

function flagsOfField(op: AnyOperation, field: Field): Flag[] {
  // Spelled when it is shown: most commands only need the names.
  const described = {
    get help() {
      return spelledWhole(field.help, inShell(op));
    },
  };
  if (field.type === "artifacts")
    return [
      { name: flagName(field), field, role: "artifact", value: "PATH", help: described.help },
      {
        name: "--artifact-kind",
        field,
        role: "artifact-kind",
        value: "KIND",
        help: "the kind of the preceding --artifact (default: file)",
      },
      {
        name: "--artifact-metadata-json",
        field,
        role: "artifact-metadata",
        value: "JSON",
        help: "metadata of the preceding --artifact, a JSON object",
      },
    ];
  const name = flagName(field);
  const flag: Flag = Object.assign(described, { name, field, role: "value" as const, value: field.value });
  if (!field.file) return [flag];
  return [
    flag,
    {
      name: `${name}-file`,
      field,
      role: "file",
      value: "PATH",
      help: `${name} from a file, - for standard input`,
    },
  ];
}

/**
 * The name of a plain argument in the usage line: that of the flag's value, `AGENT`; for text the name of the field,
 * `QUESTION`.
 */
export function plainWord(op: AnyOperation, key: string): string {
  const { field } = flagsOf(op).find((flag) => flag.field.key === key)!;
  return field.value === "TEXT" ? key.toUpperCase() : field.value!;
}

/** Its last plain argument is a text, which may be given without quotes: all remaining words belong to it. */
export const takesTheRest = (op: AnyOperation, program: Program) =>
  program === "orch" &&
  acceptedFlagsOf(op).find(({ field }) => field.key === op.cli.plain?.at(-1))?.field.file === true;

/**
 * [Q1] Whether its flags may also be written as `key=value`: in all commands of the queue, and where plain words have
 * no other meaning.
 */
export const assigns = ({ cli }: AnyOperation) => cli.program === "orch" || cli.plain === undefined;

/** Whether its value is text for a reader, rather than a name or an id. */
export const isText = ({ field }: Flag) => field.type === "text" && (field.file || field.value === "TEXT");

export interface GlobalFlag {
  name: string;
  short?: string;
  value?: string;
  help: string;
  /** For a flag that help does not show: the flag that help shows instead. */
  shownAs?: string;
}

export const globalFlags: readonly GlobalFlag[] = [
  {
    name: "--db",
    value: "PATH",
    help: "a file, postgres://…, or a hub's address (INBOX_DB; default: the nearest .agents/coord.db)",
  },
  { name: "--agent", value: "NAME", help: "your agent name (INBOX_AGENT)" },
  { name: "--token", value: "TOKEN", help: "your token for a hub (INBOX_TOKEN)" },
  {
    name: "--delivery",
    value: "AMQP",
    help: "a message broker for mail, amqp://… (INBOX_DELIVERY; default: the database)",
  },
  {
    name: "--trust",
    value: "FOLDER",
    help: "trust buses in this folder to start programs (INBOX_TRUST; inbox trust approves a single bus permanently)",
  },
  { name: "--json", help: "print JSON: one line, or one line per item where the output is a stream" },
  { name: "--help", short: "-h", help: "show help with examples" },
  { name: "--version", short: "-V", help: "print the version" },
];
