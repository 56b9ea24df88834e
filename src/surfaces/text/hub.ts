/** The hub in the background, for people. */
import type { HubElsewhere, HubState, LogLine } from "../../contract/hub-state.ts";
import { call, type Phrase, phrase, type Text } from "../../contract/phrase.ts";
import { shellWord } from "../../contract/shell-word.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { inLine, safe } from "./safe.ts";
import { clockTime, relative } from "./time.ts";

const keptBy: Record<HubState["manager"], string> = {
  systemd: "systemd user unit",
  launchd: "launchd agent",
  process: "detached process",
  foreground: "in the foreground",
};

const hubLines = (hub: HubState, paint: Paint, spell: (text: Text) => string): string[] => [
  `${hub.ready ? paint.green("●") : paint.yellow("●")} ${paint.bold(hub.url)}${hub.ready ? "" : ` (${hub.lost ? "its database file was deleted or replaced" : "its database does not answer"})`}`,
  `  process ${hub.pid}, ${keptBy[hub.manager]}, started ${relative(hub.startedAt)}, version ${hub.version}${hub.auth ? ", requires a token" : ""}`,
  ...(hub.outdated
    ? [
        `  ${paint.yellow("older")}   ${spell(phrase`it runs an older version, which may not know the schema of this one: ${restart(hub)}`)}`,
      ]
    : []),
  ...(hub.log === null ? [] : [`  log     ${inLine(hub.log)}`]),
];

const restart = ({ manager }: HubState): Phrase =>
  manager === "foreground"
    ? phrase`stop it, and start it again`
    : phrase`${call("bus.down")} and ${call("bus.up")} restart it`;

const elsewhereLines = (hubs: readonly HubElsewhere[] = []): string[] =>
  hubs.flatMap(({ host, url, pid, file }) => [
    `a hub is recorded on host ${inLine(host)} (${inLine(url)}, process ${pid}); it can only be stopped there`,
    `  if it no longer runs, delete ${inLine(shellWord(file))}`,
  ]);

const levelPaint = (level: LogLine["level"], paint: Paint) =>
  level === "error" ? paint.red : level === "warn" ? paint.yellow : paint.dim;

/** `2025-01-28 10:00:00Z info  request threads.claim 200 3 ms ada`: what every line has first, then what else it has. */
export function logLineText({ time, level, event, ...fields }: LogLine, paint: Paint): string {
  const word = (value: unknown) => inLine(typeof value === "string" ? value : JSON.stringify(value));
  const rest = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [`${paint.dim(`${inLine(key)}=`)}${word(value)}`],
  );
  const at = time === null ? "-" : clockTime(time);
  return [paint.dim(at), levelPaint(level, paint)(level.padEnd(5)), inLine(event), ...rest].join(" ");
}

type HubRenders = Pick<NounRenders<"bus">, "bus.up" | "bus.down" | "bus.status" | "bus.logs">;

export const hubRenders: HubRenders = {
  "bus.up": ({ db, created, hub, already, token, comesBack, portReason, warnings = [] }, paint, spell) =>
    [
      ...(created ? [`Created ${inLine(db)}`] : []),
      ...hubLines(hub, paint, spell),
      ...(portReason === undefined
        ? []
        : [`  port    ${new URL(hub.url).port}, because ${inLine(portReason)}`]),
      ...(token === null ? [] : [`  token   ${token}   (for user, scope admin; it is not shown again)`]),
      already
        ? "  it was already running"
        : comesBack === "at login"
          ? "  it starts again when you log in"
          : spell(phrase`  it does not survive a reboot; ${call("bus.up")} starts it again`),
      spell(phrase`  ${call("bus.status")}, ${call("bus.logs")}, ${call("bus.down")}`),
      ...warnings.map((warning) => `${paint.yellow("warning")} ${safe(warning)}`),
    ].join("\n"),
  "bus.down": ({ db, stopped, left, killed, elsewhere }) => {
    const lines = stopped.map(({ url, pid }) => `stopped ${url} (process ${pid})`);
    if (killed) lines.push("it did not stop when asked, and was killed");
    if (!stopped.length) lines.push(`no hub of ${inLine(db)} runs in the background`);
    for (const { url, pid } of left)
      lines.push(`${url} (process ${pid}) runs in the foreground: press Ctrl-C there, or kill ${pid}`);
    return [...lines, ...elsewhereLines(elsewhere)].join("\n");
  },
  "bus.status": ({ db, hubs, elsewhere }, paint, spell) => {
    const here = hubs.length
      ? [...hubs.flatMap((hub) => hubLines(hub, paint, spell)), `  database ${inLine(db)}`]
      : [`no hub serves ${inLine(db)} on this machine; ${spell(phrase`${call("bus.up")} starts one`)}`];
    return [...here, ...elsewhereLines(elsewhere)].join("\n");
  },
  "bus.logs": ({ log, lines }, paint, spell) =>
    lines.length
      ? lines.map((line) => logLineText(line, paint)).join("\n")
      : `there are no log lines in ${inLine(log)}; ${spell(phrase`${call("bus.up")} starts the hub that writes it`)}`,
};
