/** Answers of operations on the database itself and on the hub. */

import type { OutputOf } from "../../contract/operations/index.ts";
import {
  blank,
  call,
  field,
  type Options,
  phrase,
  type Reference,
  type Text,
} from "../../contract/phrase.ts";
import { plural } from "../../contract/plural.ts";
import { hubRenders } from "./hub.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { inLine, quoted, safe, setIn } from "./safe.ts";
import { statsText } from "./stats.ts";
import { textTable } from "./text-table.ts";

/** Quoted for a shell. */
const word = (text: string) =>
  /^[\w@%+=:,./{}-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const warned = (warnings: readonly string[], paint: Paint) =>
  warnings.map((warning) => `${paint.yellow("warning")} ${safe(warning)}`);

const approvable = (
  trusted: boolean,
  paint: Paint,
  spell: (text: Text) => string,
  why = "its content is from a file",
) =>
  trusted
    ? []
    : [
        `${paint.yellow("note")} ${why}, so it cannot start programs; ${spell(phrase`${call("bus.trust")} approves it`)}`,
      ];

function doctorText(
  { checks, fixable }: OutputOf<"bus.doctor">,
  paint: Paint,
  spell: (text: Text) => string,
): string {
  const marks = { ok: paint.green("ok  "), warn: paint.yellow("warn"), fail: paint.red("fail") };
  const lines = checks.flatMap(({ name, status, detail, fix, fixed, left }) => [
    `${marks[status]} ${name.padEnd(12)} ${setIn(detail, 18)}`,
    ...(fixed === undefined ? [] : [`     ${paint.green("fixed")} ${setIn(fixed, 11)}`]),
    ...(fix === undefined ? [] : [`     ${paint.dim("fix")} ${setIn(spell(fix), 9)}`]),
    ...(left === undefined ? [] : [`     ${paint.dim("not automatic")} ${setIn(spell(left), 19)}`]),
  ]);
  const isProblem = (name: string) => checks.some((check) => check.name === name && check.status !== "ok");
  const problems = fixable.filter(isProblem);
  if (problems.length)
    lines.push(`${spell(phrase`${call("bus.doctor", { fix: true })}`)} repairs: ${problems.join(", ")}`);
  return lines.join("\n");
}

const supervisionEnd = {
  idle: "no tasks are left",
  another: "another supervisor runs the rest",
  stopped: "stopped; running tasks continue",
} as const;

export const busRenders: NounRenders<"bus"> = {
  "bus.init": ({ db, created, gitignore, outer, trusted, warnings = [] }, paint, spell) => {
    const lines = [created ? `Created ${inLine(db)}` : `${inLine(db)} already exists; nothing was changed`];
    if (gitignore)
      lines.push(
        paint.dim(
          `${inLine(gitignore)} excludes it from git; the profile file agents.toml in the same folder can be committed`,
        ),
      );
    if (outer) lines.push(`${paint.yellow("note")} in this folder it takes precedence over ${inLine(outer)}`);
    const approval = approvable(trusted || created, paint, spell, "you did not create it");
    return [...lines, ...approval, ...warned(warnings, paint)].join("\n");
  },
  "bus.serve": ({ url, db, created, auth }, paint, spell) => {
    const line = (call: Reference) => spell(phrase`${call}`);
    const agent = { agent: "agent-1" };
    const tries = [
      `curl -X POST ${url}/api/messages ${auth ? '-H "authorization: Bearer $INBOX_TOKEN" ' : ""}-H 'content-type: application/json' -d '{"channel":"agent-1","content":"hello"}'`,
      line(call("mailbox.receive", auth ? {} : agent, { db: url })),
    ];
    // A server's address is shown without its password, so it is not offered as one to use.
    const place: Options = db.includes("://") ? {} : { db };
    const token = line(call("tokens.create", { ...agent, scope: "worker" }, place));
    const first = auth ? [`every request requires a token: ${token}`, "export INBOX_TOKEN=TOKEN"] : [];
    return [
      ...(created ? [`Created ${inLine(db)}`] : []),
      paint.bold(`Restante at ${url}`),
      `  your inbox ${url}/`,
      `  database   ${inLine(db)}`,
      `  the API    ${url}/docs/api`,
      ...[...first, ...tries].map((each) => `             ${each}`),
      "  Ctrl-C stops it",
    ].join("\n");
  },
  ...hubRenders,
  // Both have already printed what they did.
  "bus.demo": () => "",
  "bus.quickstart": () => "",
  "bus.top": (stats, paint) => statsText(stats, paint),
  "bus.mcp": () => "",
  "bus.supervise": ({ started, ended }) => `started ${plural(started, "task")}; ${supervisionEnd[ended]}`,
  "bus.setup": ({ file, changed, configured, diff, written, agent, session }, _paint, spell) => {
    const back = session?.written
      ? `\nEntries of ${session.workspaceId} show the command that reopens its session: ${inLine(session.command)}`
      : "";
    const who =
      agent === null
        ? ""
        : `\nThe agent is called ${inLine(agent)} on the bus; ${spell(phrase`${field("agent", blank("NAME"))} gives it another name`)}`;
    if (!changed && !configured)
      return `there is no entry named inbox in ${inLine(file)}: nothing was removed${back}`;
    if (!changed) return `${inLine(file)} is up to date${who}${back}`;
    return written
      ? `${safe(diff)}Changed ${inLine(file)}; restart the client to use it${who}${back}`
      : `${inLine(file)} was not changed${back}`;
  },
  "bus.trust": ({ db, profiles, content, runs, waiting, trusted }, paint) => {
    const commands = runs.map(({ name, what, command }) => [
      safe(name),
      what,
      safe(command.map(word).join(" ")),
    ]);
    const bar = `${paint.dim("│")} `;
    const tasks = waiting.map(
      ({ name, profile, cwd, prompt }) =>
        `waiting: ${inLine(name)} (${inLine(profile ?? "a worker")}) in ${inLine(cwd)}\n${quoted(safe(prompt), bar)}`,
    );
    return [
      `${paint.bold(inLine(db))}\nprofiles: ${inLine(profiles ?? "none, built-in runners only")}`,
      ...(content === null ? [] : [quoted(safe(content).trimEnd(), bar)]),
      ...(commands.length ? [textTable(["NAME", "WHAT", "COMMAND"], commands, paint.dim)] : []),
      ...tasks,
      trusted ? "Approved: this bus may start programs" : "Not approved: this bus may not start programs",
    ].join("\n");
  },
  "bus.doctor": doctorText,
  "bus.upgrade": ({ version, program, installedBy, latest, newer, problem, upgradeCommand }, paint) => {
    const known = latest === null ? `unknown: ${safe(problem ?? "")}` : inLine(latest);
    return [
      `${paint.bold(`inbox ${version}`)} at ${inLine(program)}`,
      `installed   ${installedBy === "copy" ? "by hand" : `by ${installedBy}`}`.replace(
        "by checkout",
        "from a checkout",
      ),
      `newest      ${known}${latest !== null && !newer ? ": this one is up to date" : ""}`,
      `to upgrade  ${inLine(upgradeCommand)}`,
    ].join("\n");
  },
  "bus.migrate": ({ from, to, created, tables, rows, copied, deleted, checksum }, paint) => {
    const counts = [...tables, { name: "all", rows, copied, deleted }].map((table) => [
      table.name,
      String(table.rows),
      String(table.copied),
      String(table.deleted),
    ]);
    const head = `${paint.bold(inLine(to))} is the same as ${inLine(from)}: checksum ${checksum.slice(0, 16)} on both sides`;
    const made = created ? `\n${inLine(to)} did not exist and was created` : "";
    return `${textTable(["TABLE", "ROWS", "COPIED", "DELETED"], counts, paint.dim)}\n${head}${made}`;
  },
  "bus.backup": ({ file, db, rows, parts, bytes, warnings = [] }, paint) =>
    [
      `${paint.bold(inLine(file))} is a backup of ${inLine(db)}: ${plural(rows, "row")}, ${plural(parts, "part")}, ${plural(bytes, "byte")}`,
      ...warned(warnings, paint),
    ].join("\n"),
  "bus.restore": ({ db, file, createdAt, rows, kept, trusted, warnings = [] }, paint, spell) =>
    [
      `${paint.bold(inLine(db))} was restored from ${inLine(file)}, as it was at ${createdAt}: ${plural(rows, "row")}`,
      ...(kept.length ? [`the previous bus was kept as ${kept.map(inLine).join(", ")}`] : []),
      ...approvable(trusted, paint, spell),
      ...warned(warnings, paint),
    ].join("\n"),
  "bus.export": ({ file, db, rows, sha256 }, paint) =>
    [
      `${paint.bold(inLine(file))} is an export of ${inLine(db)}: ${plural(rows, "row")}, checksum ${sha256.slice(0, 16)}`,
    ].join("\n"),
  "bus.import": ({ db, rows, trusted, warnings = [] }, paint, spell) =>
    [
      `imported ${plural(rows, "row")} into ${paint.bold(inLine(db))}`,
      ...approvable(trusted, paint, spell),
      ...warned(warnings, paint),
    ].join("\n"),
};
