/** A hub as an agent of the user's own launchd, on macOS: started again after a crash, and with the next login. */
import { join } from "node:path";
import { fs } from "../platform/system.ts";
import { type Environment, homeFolder } from "../platform/user-folders.ts";
import { command, type Keeper, type Unit, writeUnit } from "./unit.ts";

const labelOf = ({ id }: Unit) => `dev.restante.hub.${id}`;
const folderOf = (env: Environment) => join(homeFolder(env), "Library", "LaunchAgents");
const domain = () => `gui/${process.getuid?.()}`;

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const string = (text: string) => `<string>${escaped(text)}</string>`;
const key = (name: string) => `<key>${escaped(name)}</key>`;

export const propertyList = (unit: Unit) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  ${key("Label")}${string(labelOf(unit))}
  ${key("ProgramArguments")}<array>${unit.words.map(string).join("")}</array>
  ${key("EnvironmentVariables")}<dict>${Object.entries(unit.variables)
    .map(([name, value]) => key(name) + string(value))
    .join("")}</dict>
  ${key("RunAtLoad")}<true/>
  ${key("KeepAlive")}<dict>${key("SuccessfulExit")}<false/></dict>
  ${key("StandardOutPath")}${string(unit.folder.start)}
  ${key("StandardErrorPath")}${string(unit.folder.start)}
  ${key("Umask")}<integer>63</integer>
  <!-- Sub-agents outlive their hub. -->
  ${key("AbandonProcessGroup")}<true/>
</dict>
</plist>
`;

export const launchd: Keeper = {
  manager: "launchd",
  comesBack: "at login",
  isThere: (env) =>
    process.platform === "darwin" && Boolean(Bun.which("launchctl", { PATH: env.PATH ?? "" })),
  start(unit) {
    const file = writeUnit(folderOf(unit.env), `${labelOf(unit)}.plist`, propertyList(unit));
    command(["launchctl", "bootstrap", domain(), file], unit.env);
  },
  stop(unit) {
    const file = join(folderOf(unit.env), `${labelOf(unit)}.plist`);
    if (!fs().existsSync(file)) return;
    command(["launchctl", "bootout", `${domain()}/${labelOf(unit)}`], unit.env);
    fs().rmSync(file, { force: true });
  },
};
