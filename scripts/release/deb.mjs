/** The Debian package: both programs, the unit of the hub, completions. Made of tar and ar alone, so without root and on any Linux. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "../setup.mjs";
import { writeCompletions } from "./completions.mjs";

const { name, version, description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const architectures = { x64: "amd64", arm64: "arm64" };

const control = (target, kilobytes) => `Package: ${name}
Version: ${version}
Architecture: ${architectures[target.cpu]}
Maintainer: Restante <restante@localhost>
Section: utils
Priority: optional
Depends: libc6
Recommends: curl
Installed-Size: ${kilobytes}
Description: ${description}
 Its programs are inbox, the bus, and orch, which runs sub-agents on it.
`;

/** systemd reads the new unit; whether the hub runs is the operator's choice. */
const reload = `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
`;

const settings = "etc/restante/hub.env";

function put(folder, path, text, mode = 0o644) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

const deployed = (file) => readFileSync(join(root, "deploy", file), "utf8");

function writeFiles(data, program) {
  mkdirSync(join(data, "usr/lib/restante"), { recursive: true });
  mkdirSync(join(data, "usr/bin"), { recursive: true });
  copyFileSync(program, join(data, "usr/lib/restante/inbox"));
  chmodSync(join(data, "usr/lib/restante/inbox"), 0o755);
  for (const each of ["inbox", "orch"]) symlinkSync("../lib/restante/inbox", join(data, "usr/bin", each));
  const unit = deployed("restante-hub.service").replaceAll("/usr/local/bin/inbox", "/usr/bin/inbox");
  put(data, "usr/lib/systemd/system/restante-hub.service", unit);
  // A bus on this machine; the example beside it has the rest.
  put(
    data,
    settings,
    "# See /usr/share/doc/restante/hub.env.example\nINBOX_DB=/var/lib/restante/coord.db\n",
    0o600,
  );
  put(data, "usr/share/doc/restante/hub.env.example", deployed("hub.env.example"));
  put(data, "usr/share/doc/restante/postgres-roles.sql", deployed("postgres-roles.sql"));
  put(data, "usr/share/doc/restante/copyright", readFileSync(join(root, "LICENSE"), "utf8"));
  writeCompletions(join(data, "usr/share"));
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => join(parentPath, file));

/** Everything belongs to root, in a fixed order. */
const tar = (folder) =>
  execFileSync(
    "tar",
    ["--owner=0", "--group=0", "--numeric-owner", "--sort=name", "-C", folder, "-czf", "-", "."],
    {
      maxBuffer: 1024 ** 3,
    },
  );

/** One member of an `ar` archive: a header of 60 characters, and an even number of bytes. */
function member(file, bytes) {
  const field = (value, length) => String(value).padEnd(length);
  const header = [
    field(file, 16),
    field(0, 12),
    field(0, 6),
    field(0, 6),
    field("100644", 8),
    field(bytes.length, 10),
  ];
  return [Buffer.from(`${header.join("")}\`\n`), bytes, Buffer.from(bytes.length % 2 ? "\n" : "")];
}

/** Answers with the file's name in `into`; undefined for what Debian does not run on. */
export function writeDeb(target, program, into) {
  if (target.libc !== "glibc") return undefined;
  const work = mkdtempSync(join(tmpdir(), "restante-deb-"));
  try {
    const [data, meta] = [join(work, "data"), join(work, "control")];
    writeFiles(data, program);
    const bytes = filesIn(data).reduce((sum, file) => sum + statSync(file).size, 0);
    put(meta, "control", control(target, Math.ceil(bytes / 1024)));
    put(meta, "conffiles", `/${settings}\n`);
    for (const script of ["postinst", "postrm"]) put(meta, script, reload, 0o755);
    const file = `${name}_${version}_${architectures[target.cpu]}.deb`;
    const members = [
      member("debian-binary", Buffer.from("2.0\n")),
      member("control.tar.gz", tar(meta)),
      member("data.tar.gz", tar(data)),
    ];
    writeFileSync(join(into, file), Buffer.concat([Buffer.from("!<arch>\n"), ...members.flat()]));
    return file;
  } finally {
    rmSync(work, { recursive: true });
  }
}
