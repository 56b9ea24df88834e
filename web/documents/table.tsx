/** Comma-separated values as a table. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { LinkButton } from "../ui/link-button.tsx";

/** As RFC 4180 has it: quotes protect, doubled quotes are one. */
export function parseCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (quoted) {
      if (char !== '"') field += char;
      else if (text[i + 1] === '"') {
        field += '"';
        i++;
      } else quoted = false;
    } else if (char === '"' && field === "") quoted = true;
    else if (char === separator) {
      row.push(field);
      field = "";
    } else if (char === "\n" || char === "\r") {
      if (char === "\r" && text[i + 1] === "\n") i++;
      rows.push([...row, field]);
      row = [];
      field = "";
    } else field += char;
  }
  if (field !== "" || row.length) rows.push([...row, field]);
  return rows;
}

const step = 200;
/** A date with its time, a name, a number: what is this short is read as one piece. */
const shortLength = 24;
const numeric = /^-?[\d.,\s]+%?$/;

export function Table({ text, tabs }: { text: string; tabs: boolean }) {
  const rows = useMemo(
    () =>
      parseCsv(
        text.replace(/^\ufeff/, ""),
        tabs
          ? "\t"
          : text.split("\n", 1)[0]!.includes(";") && !text.split("\n", 1)[0]!.includes(",")
            ? ";"
            : ",",
      ),
    [text, tabs],
  );
  const shown = useSignal(step);
  const [head, ...body] = rows;
  const numbers = useMemo(
    () =>
      (rows[0] ?? []).map((_, column) => rows.slice(1, 21).every((row) => numeric.test(row[column] ?? ""))),
    [rows],
  );
  const short = useMemo(
    () =>
      (rows[0] ?? []).map((_, column) =>
        rows.slice(0, 101).every((row) => (row[column] ?? "").length <= shortLength),
      ),
    [rows],
  );
  if (!head) return <p class="hint">The file is empty.</p>;
  return (
    <>
      <div class="table-place tall" tabIndex={0} role="group" aria-label="Table">
        <table>
          <thead>
            <tr>
              {head.map((cell, i) => (
                <th key={i} scope="col" data-number={numbers[i]} data-short={short[i]}>
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.slice(0, shown.value).map((row, i) => (
              <tr key={i}>
                {row.map((cell, j) => (
                  <td key={j} data-number={numbers[j]} data-short={short[j]}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint table-foot">
        {body.length.toLocaleString()} rows, {head.length} columns
        {body.length > shown.value && (
          <LinkButton
            onClick={() => {
              shown.value += step * 5;
            }}
          >
            Show more
          </LinkButton>
        )}
      </p>
    </>
  );
}
