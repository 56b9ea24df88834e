/** What was done to the database itself, and where it is served. */
import type { NounRenders } from "./noun-renders.ts";
import { inLine, safe, setIn } from "./safe.ts";
import { textTable } from "./text-table.ts";

export const busRenders: NounRenders<"bus"> = {
  "bus.init": ({ db, created, outer }, paint) => {
    const text = created ? `Created ${inLine(db)}` : `${inLine(db)} is there already; nothing was changed`;
    return outer ? `${text}\n${paint.yellow("note")} it hides the outer one at ${inLine(outer)}` : text;
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
  "bus.setup": ({ file, changed, diff, written }) => {
    if (!changed) return `${inLine(file)} is as it should be; nothing to do`;
    return written
      ? `${safe(diff)}Changed ${inLine(file)}; restart the client to see it`
      : `${inLine(file)} was left as it is`;
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
