// After the installation: `inbox` and `orch` become the program itself, so that no Node starts in between.
// Where that cannot be done they stay what they are, which works as well: nothing here may fail an installation.
const { linkSync, renameSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const { programPath } = require("./program.cjs");

// On Windows npm starts every program of a package with Node.
if (process.platform !== "win32")
  for (const name of ["inbox", "orch", "restante"]) {
    const made = join(__dirname, `.${name}.${process.pid}`);
    try {
      linkSync(programPath(), made);
      renameSync(made, join(__dirname, name));
    } catch {
      // Another file system, or no program for this one.
    } finally {
      rmSync(made, { force: true });
    }
  }
