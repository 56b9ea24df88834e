/** What was done to the database itself, and where it is served. */
import type { NounRenders } from "./noun-renders.ts";
import { inLine, quoted, safe, setIn } from "./safe.ts";
import { textTable } from "./text-table.ts";

/** As a shell would have to be told. */
const word = (text: string) =>
  /^[\w@%+=:,./{}-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const busRenders: NounRenders<"bus"> = {
  "bus.init": ({ db, created, outer, trusted, warnings = [] }, paint) => {
    const lines = [created ? `Created ${inLine(db)}` : `${inLine(db)} is there already; nothing was changed`];
    if (outer) lines.push(`${paint.yellow("note")} it hides the outer one at ${inLine(outer)}`);
    if (!trusted && !created)
      lines.push(
        `${paint.yellow("note")} you did not make it, so no program is started for it; inbox trust approves it`,
      );
    return [...lines, ...warnings.map((warning) => `${paint.yellow("warning")} ${safe(warning)}`)].join("\n");
  },
  "bus.serve": ({ url, db }, paint) => `${paint.bold(`Restante at ${url}`)}
  your inbox ${url}/
  database   ${inLine(db)}
  the API    ${url}/docs/api
             curl -X POST ${url}/api/messages -H 'content-type: application/json' -d '{"channel":"agent-1","content":"hello"}'
             inbox --db ${url} receive --agent agent-1
  Ctrl-C stops it`,
  "bus.mcp": () => "",
  "bus.supervise": ({ started }) => `started ${started} task(s); nothing is left to do`,
  "bus.setup": ({ file, changed, diff, written, agent }) => {
    const who =
      agent === null
        ? ""
        : `\nThe agent is called ${inLine(agent)} on the bus; --agent NAME gives it another name`;
    if (!changed) return `${inLine(file)} is as it should be; nothing to do${who}`;
    return written
      ? `${safe(diff)}Changed ${inLine(file)}; restart the client to see it${who}`
      : `${inLine(file)} was left as it is`;
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
      trusted ? "Approved: programs may be started for it" : "Not approved yet: no program is started for it",
    ].join("\n");
  },
  "bus.doctor": ({ checks }, paint) => {
    const marks = { ok: paint.green("ok  "), warn: paint.yellow("warn"), fail: paint.red("fail") };
    return checks
      .map(
        ({ name, status, detail, fix }) =>
          `${marks[status]} ${name.padEnd(12)} ${setIn(detail, 18)}${fix ? `\n     ${paint.dim("fix")} ${setIn(fix, 9)}` : ""}`,
      )
      .join("\n");
  },
  "bus.upgrade": ({ version, program, installedBy, latest, newer, problem, upgradeCommand }, paint) => {
    const known = latest === null ? `not known: ${safe(problem ?? "")}` : inLine(latest);
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
  "bus.migrate": ({ from, to, tables, rows, copied, deleted, checksum }, paint) => {
    const counts = [...tables, { name: "all", rows, copied, deleted }].map((table) => [
      table.name,
      String(table.rows),
      String(table.copied),
      String(table.deleted),
    ]);
    const head = `${paint.bold(inLine(to))} is the same as ${inLine(from)}: checksum ${checksum.slice(0, 16)} on both sides`;
    return `${textTable(["TABLE", "ROWS", "COPIED", "DELETED"], counts, paint.dim)}\n${head}`;
  },
};
