/** Completions of both programs, as files where packages put them: below /usr/share, or Homebrew's prefix. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../setup.mjs";

const places = {
  bash: (program) => `bash-completion/completions/${program}`,
  zsh: (program) => `zsh/vendor-completions/_${program}`,
  fish: (program) => `fish/vendor_completions.d/${program}.fish`,
};

/** Into `share`, by the program that was built for this machine. */
export function writeCompletions(share) {
  for (const program of ["inbox", "orch"])
    for (const [shell, place] of Object.entries(places)) {
      const file = join(share, place(program));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, execFileSync(join(root, "dist", program), ["completion", shell], { cwd: "/" }));
    }
}
