/** [Q8] Reads `.agents/agents.toml`: which agent programs there are and how they are used. */
import { dirname, isAbsolute, normalize, resolve } from "node:path";
import { InboxError } from "../../contract/errors.ts";
import { phrase } from "../../contract/phrase.ts";
import { closest, didYouMean } from "../../contract/suggest.ts";
import { permissionsAsked } from "../../contract/task.ts";
import { type Budget, budgetForm, budgetIn } from "../../contract/usage.ts";
import { worktreesAsked } from "../../contract/worktree.ts";
import { readOwn } from "../../platform/own-files.ts";
import { parseToml } from "../../platform/runtime.ts";
import { fs } from "../../platform/system.ts";
import { builtInOf, builtIns, type Kind, kinds } from "./built-in.ts";
import { limitKeys, limitsIn } from "./limits.ts";
import type { Profile, Profiles, RunnerSettings, Usual } from "./profile.ts";
import { unheeded } from "./reported.ts";
import { noReviews, reviewKeyNames, reviewKeys } from "./review-keys.ts";
import { isTable, profilesManual, type Reader, reader, type Table } from "./table-reader.ts";
import { codeWithPlace, mentions, places } from "./template-places.ts";

const forAll = ["kind", "command", "model", "env", "pass_env", "concurrency", "timeout", "retries"];
const forCommands = [...forAll, "prompt", "output", "resume", "reports_usage"];
const forAgents = [...forAll, "permission"];

/** For display: code that starts programs calls approval.ts. Without a file these are the built-in profiles. */
export const loadProfiles = (file?: string): Profiles =>
  file === undefined ? profilesIn("", undefined) : profilesIn(file, readOwn(file));

/** Parses the text of a profile file. */
export function profilesIn(file: string, text: string | undefined): Profiles {
  const top = reader(file, [], text === undefined ? {} : parsed(file, text));
  top.takes(["default", ...limitKeys, "runners", "profiles", ...forAllProfiles]);
  // A program's path is meant from the folder that really holds `.agents`, not from one with a link to it.
  const folder = dirname(text === undefined ? dirname(file) : fs().realpathSync(dirname(file)));

  const usual = usualKeys(top, folder, nothingSaid);
  const runners = new Map<string, RunnerSettings>();
  for (const name of Object.keys(builtIns)) runners.set(name, runnerIn(name, reader("", [], {}), folder));
  for (const [name, table] of top.tables("runners")) runners.set(name, runnerIn(name, table, folder));

  const all = new Map<string, Profile>();
  for (const [name, runner] of runners)
    all.set(name, {
      ...{
        name,
        runner,
        model: null,
        instructions: null,
        gate: null,
        gateIdle: null,
        budget: null,
        ...usual,
      },
      permission: asksNobody(runner) ? null : runner.permission,
    });
  for (const [name, table] of top.tables("profiles"))
    all.set(name, { ...profileIn(name, table, runners, folder), ...usualKeys(table, folder, usual) });

  for (const [{ review }, table] of [
    [usual, top] as const,
    ...top.tables("profiles").map(([name, table]) => [all.get(name)!, table] as const),
  ])
    if (review !== null && !all.has(review))
      throw table.wrong(
        "review",
        `names ${JSON.stringify(review)}, which is not a profile`,
        meant(review, all),
      );

  const named = top.text("default") ?? null;
  if (named !== null && !all.has(named))
    throw top.wrong(
      "default",
      `names ${JSON.stringify(named)}, which is neither a profile nor a runner`,
      meant(named, all),
    );
  return { default: named, ...limitsIn(top), usual, all };
}

function runnerIn(name: string, table: Reader, folder: string): RunnerSettings {
  const kind = table.choice("kind", kinds) ?? (kinds.includes(name as Kind) ? (name as Kind) : "command");
  const keys = kind === "command" ? forCommands : forAgents;
  table.takes(keys, (key) =>
    [...forCommands, ...forAgents].includes(key) ? `has no effect with kind = "${kind}"` : undefined,
  );
  const builtIn = builtInOf(kind);
  const command = program(table, "command", folder) ?? (builtIn && [builtIn.program]);
  if (!command)
    throw table.wrong(
      "command",
      "is missing: give the program to run",
      'for example command = ["prog", "{prompt}"]',
    );
  const settings: RunnerSettings = {
    name,
    kind,
    command,
    prompt: table.choice("prompt", ["stdin", "argument"]) ?? "stdin",
    model: table.words("model") ?? (builtIn ? ["--model", "{model}"] : []),
    output: table.choice("output", ["text", "json"]) ?? "text",
    env: table.texts("env") ?? {},
    passEnv: passedNames(table),
    concurrency: table.number("concurrency", 1, true) ?? null,
    timeoutSeconds: table.number("timeout", 0.001, false) ?? null,
    retries: table.number("retries", 0, true) ?? 0,
    resume: program(table, "resume", folder) ?? null,
    permission: table.choice("permission", permissionsAsked) ?? "inherit",
    reportsUsage: table.flag("reports_usage") ?? false,
  };
  if (settings.model.length && !mentions(settings.model, "model"))
    throw table.wrong("model", "must contain {model}", 'for example model = ["--model", "{model}"]');
  if (settings.prompt === "argument" && table.has("prompt") && mentions(command, "prompt"))
    throw table.wrong("prompt", "duplicates {prompt} in command", "leave out one of them");
  if (
    settings.resume &&
    mentions(settings.resume, "session") &&
    settings.output === "text" &&
    !mentions(command, "session")
  )
    throw table.wrong("resume", "contains {session}, but the runner has no session id to put there", sources);
  return settings;
}

function passedNames(table: Reader): string[] {
  const names = table.words("pass_env") ?? [];
  const wrong = names.find((name) => !/^[A-Za-z_]\w*\*?$/.test(name));
  if (wrong !== undefined)
    throw table.wrong(
      "pass_env",
      `contains ${JSON.stringify(wrong)}, which is not a variable name`,
      'for example pass_env = ["NPM_TOKEN", "AWS_*"]',
    );
  return names;
}

const sources =
  'add {session} to command to have an id generated, or set output = "json" and print {"result": …, "session": …}';

/** A program with its arguments; a relative path to it starts at `folder`. */
function program(table: Reader, key: string, folder: string): string[] | undefined {
  const words = table.words(key);
  if (!words) return undefined;
  for (const word of words) {
    const [near] = /^\{\w+\}$/.test(word) ? closest(word.slice(1, -1), places, 1) : [];
    if (near && !places.some((place) => word === `{${place}}`))
      throw table.wrong(key, `contains ${word}, which is not a known placeholder`, `did you mean {${near}}?`);
  }
  const code = codeWithPlace(words);
  if (code !== undefined)
    throw table.wrong(
      key,
      `contains ${JSON.stringify(code)}: the inserted text would be run as code`,
      `use "$INBOX_PROMPT" there, or pass it as an argument: ${key} = ["sh", "-c", "echo \\"$1\\"", "sh", "{prompt}"]`,
    );
  const [first, ...rest] = words as [string, ...string[]];
  return [first.includes("/") ? resolve(folder, first) : first, ...rest];
}

function profileIn(
  name: string,
  table: Reader,
  runners: ReadonlyMap<string, RunnerSettings>,
  folder: string,
): Omit<Profile, keyof Usual> {
  table.takes(["runner", "model", "instructions", "permission", "budget", "gate", ...forAllProfiles]);
  const wanted = table.text("runner") ?? (runners.has(name) ? name : undefined);
  if (wanted === undefined)
    throw table.wrong(
      "runner",
      "is missing: give the program to run",
      `there are ${[...runners.keys()].join(", ")}`,
    );
  const runner = runners.get(wanted);
  if (!runner)
    throw table.wrong(
      "runner",
      `names ${JSON.stringify(wanted)}, which is not a runner`,
      meant(wanted, runners),
    );
  const model = table.text("model") ?? null;
  if (model !== null && !choosesModel(runner))
    throw table.wrong(
      "model",
      `is set, but the runner ${JSON.stringify(wanted)} cannot select a model`,
      `set model = ["--model", "{model}"] in [runners.${wanted}]`,
    );
  const permission = table.choice("permission", permissionsAsked);
  if (permission !== undefined && asksNobody(runner))
    throw table.wrong(
      "permission",
      `has no effect with the runner ${JSON.stringify(wanted)}, which does not ask for permissions`,
    );
  if ((permission ?? runner.permission) === "ask" && !canAsk(runner))
    throw table.wrong(
      "permission",
      `cannot be ask with the runner ${JSON.stringify(wanted)}: its program cannot be answered while it runs`,
    );
  return {
    ...{ name, runner, model, instructions: table.text("instructions") ?? null },
    permission: asksNobody(runner) ? null : (permission ?? runner.permission),
    budget: budgetOf(table, runner),
    ...gatesIn(table, folder),
  };
}

/** [A11] */
function budgetOf(table: Reader, runner: RunnerSettings): Budget | null {
  const text = table.text("budget");
  if (text === undefined) return null;
  const budget = budgetIn(text);
  if (!budget)
    throw table.wrong("budget", `${budgetForm}, got ${JSON.stringify(text)}`, 'for example budget = "200k"');
  const problem = unheeded(budget, runner);
  if (problem !== undefined) throw table.wrong("budget", `would have no effect: ${problem}`);
  return budget;
}

const forAllProfiles = [
  ...["worktree", "prepare", "share", "check", "ask", "ask_timeout"],
  ...reviewKeyNames,
];
const nothingSaid: Usual = {
  worktree: "auto",
  prepare: null,
  share: [],
  check: null,
  ask: "user",
  askTimeoutSeconds: 600,
  ...noReviews,
};

/** [A1] [A2] [A8] At the top of the file for all profiles, in a profile for it. */
function usualKeys(table: Reader, folder: string, usual: Usual): Usual {
  const share = table.words("share");
  const outside = share?.find((path) => isAbsolute(path) || normalize(path).startsWith(".."));
  if (outside !== undefined)
    throw table.wrong(
      "share",
      `contains ${JSON.stringify(outside)}, which is not in the repository`,
      'for example share = [".env.local"]',
    );
  return {
    worktree: table.choice("worktree", worktreesAsked) ?? usual.worktree,
    prepare: program(table, "prepare", folder) ?? usual.prepare,
    share: share?.map((path) => normalize(path).replace(/\/$/, "")) ?? usual.share,
    check: program(table, "check", folder) ?? usual.check,
    ask: table.choice("ask", ["user", "parent"]) ?? usual.ask,
    askTimeoutSeconds: table.number("ask_timeout", 0.1, false) ?? usual.askTimeoutSeconds,
    ...reviewKeys(table, usual),
  };
}

/** Whether a model can be selected for it. */
export const choosesModel = ({ model, command, kind }: RunnerSettings) =>
  model.length > 0 || mentions(command, "model") || kind === "acp";

/** [A8] Whether its program can be answered while it runs. */
export const canAsk = ({ kind }: RunnerSettings) => kind === "claude" || kind === "acp" || kind === "gemini";

const asksNobody = ({ kind }: RunnerSettings) => kind === "command";

function gatesIn(table: Reader, folder: string): Pick<Profile, "gate" | "gateIdle"> {
  if (!table.holdsTable("gate")) return { gate: program(table, "gate", folder) ?? null, gateIdle: null };
  const gates = table.table("gate")!;
  gates.takes(["end", "idle"]);
  return { gate: program(gates, "end", folder) ?? null, gateIdle: program(gates, "idle", folder) ?? null };
}

const meant = (wanted: string, known: ReadonlyMap<string, unknown>) =>
  didYouMean(wanted, known.keys()) || `there are ${[...known.keys()].join(", ")}`;

function parsed(file: string, text: string): Table {
  try {
    const table: unknown = parseToml(text);
    return isTable(table) ? table : {};
  } catch (error) {
    const problem = (error as Error).message.replace(/^TOML Parse error: /, "");
    throw new InboxError("invalid_input", `${file}, line ${lineOf(text)} or after: ${problem}`, {
      hint: phrase`it must be TOML; ${profilesManual}`,
      details: { file },
    });
  }
}

/** The parser does not say where the mistake is. The longest beginning of the file that can be parsed ends before it. */
function lineOf(text: string): number {
  const lines = text.split("\n");
  for (let count = lines.length - 1; count > 0; count--)
    try {
      parseToml(lines.slice(0, count).join("\n"));
      return count + 1;
    } catch {}
  return 1;
}
