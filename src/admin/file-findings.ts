/** [N4] Files that programs leave beside a bus, and files that are too large. */
import { type Finding, well } from "../contract/finding.ts";
import type { Asked } from "../location/locate.ts";
import { isOwnFolder, openOwn } from "../platform/own-files.ts";
import { removeTree } from "../platform/remove-tree.ts";
import { fs, look } from "../platform/system.ts";
import { hubFolder } from "../service/hub-folder.ts";
import { logBytes } from "../service/hub-log.ts";
import { besideBus, foldersLeft } from "./work-folder.ts";

export function fileFindings(location: string, env: Asked["env"]): Finding[] {
  return [...hubLog(location, env), ...workFolders(location, env)];
}

/** No hub limits the start log, to which a service manager appends after each crash. */
function hubLog(location: string, env: Asked["env"]): Finding[] {
  const { path, log, start } = hubFolder(location, env);
  if (!isOwnFolder(path)) return [];
  const files = [log, `${log}.1`, start].filter((file) => look(file)?.kind === "file");
  const large = files.filter((file) => fs().statSync(file).size > 2 * logBytes);
  const bytes = files.reduce((sum, file) => sum + fs().statSync(file).size, 0);
  const detail = `${(bytes / 1024 / 1024).toFixed(1)} MiB in ${path}`;
  if (!large.length) return [well("hub log", detail)];
  return [
    {
      ...{ name: "hub log", status: "warn", detail, fix: `shorten ${large.join(" and ")}` },
      repair() {
        for (const file of large) keepEnd(file);
        return `kept the last ${logBytes / 1024 / 1024} MiB of ${large.join(" and ")}`;
      },
    },
  ];
}

/** In place: a process that has it open continues to write to it. */
function keepEnd(path: string): void {
  const file = openOwn(path, fs().constants.O_RDWR);
  try {
    const { size } = fs().fstatSync(file);
    const end = new Uint8Array(logBytes);
    const read = fs().readSync(file, end, 0, logBytes, size - logBytes);
    const from = end.indexOf(10) + 1;
    fs().writeSync(file, end, from, read - from, 0);
    fs().ftruncateSync(file, read - from);
  } finally {
    fs().closeSync(file);
  }
}

/** Of a backup, a restore or an import that was killed. */
function workFolders(location: string, env: Asked["env"]): Finding[] {
  const left = foldersLeft(besideBus(location, env));
  if (!left.length) return [];
  const detail = `${left.length} folder(s) of programs that were killed: ${left.join(", ")}`;
  return [
    {
      ...{ name: "work folders", status: "warn", detail, fix: `rm -r ${left.join(" ")}` },
      repair() {
        for (const folder of left) removeTree(folder);
        return `removed ${left.join(", ")}`;
      },
    },
  ];
}
