/** A hub as a unit of the user's own systemd: started again after a crash, and with the next login. */
import { join } from "node:path";
import { fs } from "../platform/system.ts";
import { configHome, type Environment } from "../platform/user-folders.ts";
import { command, type Keeper, type Unit, writeUnit } from "./unit.ts";

const nameOf = ({ id }: Unit) => `restante-hub-${id}.service`;
const folderOf = (env: Environment) => join(configHome(env), "systemd", "user");
const control = (env: Environment, ...words: string[]) => command(["systemctl", "--user", ...words], env);

/** Quoted as systemd reads it: no variables, no specifiers. */
const quoted = (text: string) =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
/** The same for a variable: there a dollar sign is literal. */
const assigned = (text: string) => quoted(text).replaceAll("$$", "$");

export const unitText = ({
  title,
  words,
  variables,
  folder,
}: Unit) => `# Made by inbox up; inbox down removes it.
[Unit]
Description=Restante hub of ${title.replaceAll("%", "%%").replaceAll("\n", " ")}

[Service]
Type=exec
ExecStart=${words.map(quoted).join(" ")}
${Object.entries(variables)
  .map(([name, value]) => `Environment=${assigned(`${name}=${value}`)}`)
  .join("\n")}
StandardOutput=append:${folder.start.replaceAll("%", "%%")}
StandardError=append:${folder.start.replaceAll("%", "%%")}
Restart=on-failure
RestartSec=2
# Waits are answered and writes are finished before it goes.
TimeoutStopSec=15
# Sub-agents outlive their hub: the next one goes on with them.
KillMode=process
UMask=0077

[Install]
WantedBy=default.target
`;

export const systemd: Keeper = {
  manager: "systemd",
  comesBack: "at login",
  isThere(env) {
    try {
      if (process.platform !== "linux" || !Bun.which("systemctl", { PATH: env.PATH ?? "" })) return false;
      control(env, "show-environment");
      return true;
    } catch {
      return false; // systemd is not the system's init, or there is none for this user.
    }
  },
  start(unit) {
    writeUnit(folderOf(unit.env), nameOf(unit), unitText(unit));
    control(unit.env, "daemon-reload");
    control(unit.env, "enable", "--now", nameOf(unit));
  },
  stop(unit) {
    const file = join(folderOf(unit.env), nameOf(unit));
    if (!fs().existsSync(file)) return;
    control(unit.env, "disable", "--now", nameOf(unit));
    fs().rmSync(file, { force: true });
    control(unit.env, "daemon-reload");
  },
};
