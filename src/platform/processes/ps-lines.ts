/**
 * Lines of `ps`, as Linux, macOS and the BSDs print them. The command is the last field, because it may contain
 * anything; its words are joined by spaces and, if requested, the environment follows in the same way.
 */

/** Not `sess`, which is a kernel address on macOS, or 0. A BSD pads `lstart` with spaces. */
export const fields = "pid=,ppid=,pgid=,stat=,lstart=,command=";

export interface Line {
  pid: number;
  parent: number;
  group: number;
  /** One letter; what `ps` writes behind it is left out. */
  state: string;
  /** Seconds since 1970, where `ps` was told that this is UTC. */
  start: string;
  /** The command, and the environment if it was asked for. */
  text: string;
}

const time = String.raw`\w{3} +(\w{3}) +(\d+) +(\d\d):(\d\d):(\d\d) +(\d{4})`;
const line = new RegExp(String.raw`^ *(\d+) +(\d+) +(\d+) +(\S+) +${time}(?: +(.*))?$`);
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Undefined for a line of another kind. */
export function parseLine(text: string): Line | undefined {
  const [, pid, parent, group, stat, month, day, hour, minute, second, year, rest] = line.exec(text) ?? [];
  const number = months.indexOf(month!);
  if (pid === undefined || number < 0) return undefined;
  const start = Date.UTC(Number(year), number, Number(day), Number(hour), Number(minute), Number(second));
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    state: stat![0]!,
    start: String(start / 1000),
    text: rest ?? "",
  };
}

export const parseLines = (text: string): Line[] => text.split("\n").flatMap((one) => parseLine(one) ?? []);

/** A value with a space and a `NAME=` in it looks like two variables; the variables that are searched here have none. */
export const hasVariable = ({ text }: Line, name: string, value?: string) =>
  value === undefined ? text.includes(` ${name}=`) : `${text} `.includes(` ${name}=${value} `);

export const variablesIn = ({ text }: Line): string[] => text.split(/ (?=[A-Za-z_]\w*=)/).slice(1);

/** Whether the command is these words, or begins with them. */
export const beginsWith = ({ text }: Line, words: readonly string[]) =>
  `${text} `.startsWith(`${words.join(" ")} `);

/**
 * `sysctl -n` of what identifies a boot: its own id if there is one. The boot time is the second choice, because it
 * is computed from the clock, and changes when that is set.
 */
export function bootIn(text: string): string {
  const id = /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/m.exec(text)?.[0];
  return id ?? /\bsec = (\d+)/.exec(text)?.[1] ?? /^\d+$/m.exec(text)?.[0] ?? "";
}
