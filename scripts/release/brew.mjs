/** The Homebrew formula. Where the release is, it asks at the installation: no host is written into it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup.mjs";

const { version, description, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Of each system and processor, the executable's name; Homebrew on Linux is glibc. */
const files = {
  macos: { arm: "inbox-darwin-arm64", intel: "inbox-darwin-x64" },
  linux: { arm: "inbox-linux-arm64", intel: "inbox-linux-x64" },
};

/** Undefined where an executable was not built. `checksums`: of each file. */
export function writeFormula(into, checksums) {
  const names = Object.values(files).flatMap(Object.values);
  if (!names.every((file) => checksums.has(file))) return undefined;
  const blocks = Object.entries(files).flatMap(([system, processors]) => [
    `  on_${system} do`,
    ...Object.entries(processors).flatMap(([processor, file]) => [
      `    on_${processor} do`,
      `      url "#{releases}/${file}"`,
      `      sha256 "${checksums.get(file)}"`,
      "    end",
    ]),
    "  end",
  ]);
  const formula = `class Restante < Formula
  releases = ENV.fetch("HOMEBREW_INBOX_RELEASES") { odie "set HOMEBREW_INBOX_RELEASES to the address of the release" }

  desc ${JSON.stringify(description)}
  version "${version}"
  license "${license}"

${blocks.join("\n")}

  def install
    (lib/"restante").install Dir["inbox-*"].first => "inbox"
    chmod 0755, lib/"restante/inbox"
    bin.install_symlink lib/"restante/inbox" => "inbox"
    bin.install_symlink lib/"restante/inbox" => "orch"
    generate_completions_from_executable(bin/"inbox", "completion")
    generate_completions_from_executable(bin/"orch", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/inbox --version")
  end
end
`;
  writeFileSync(join(into, "restante.rb"), formula);
  return "restante.rb";
}
