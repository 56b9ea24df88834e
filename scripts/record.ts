/** `node scripts/bun.mjs scripts/record.ts`: the tour of the README as it runs, line by line, in docs/images/tour.svg. */
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";

const root = join(import.meta.dir, "..");
const columns = 104;
const [width, lineHeight, left, top] = [900, 19, 18, 52];
/** How long somebody types, and reads what came of it. */
const [typingSeconds, readingSeconds] = [0.7, 1.1];

const commands = [
  'inbox send --agent leader --to ada --subject "Add login" --priority high',
  "inbox claim --agent ada",
  'inbox update thr_1 --agent ada --status blocked --summary "Password or SSO?"',
  "inbox wait-reply thr_1 --agent ada &",
  'inbox reply thr_1 "A password will do" --agent leader',
  'inbox done thr_1 "Login works, 12 tests" --agent ada',
  "inbox list",
];

interface Line {
  text: string;
  typed: boolean;
  at: number;
}

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const cut = (text: string) => (text.length > columns ? `${text.slice(0, columns - 1)}…` : text);

async function recorded(): Promise<Line[]> {
  using folder = temporaryFolder();
  using home = temporaryFolder();
  const env = { PATH: `${join(root, "dist")}:${process.env.PATH}`, HOME: home.path, NO_COLOR: "1" };
  const shell = async (command: string) => {
    const child = Bun.spawn(["bash", "-c", command], {
      cwd: folder.path,
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    return (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  };
  await shell("inbox init");
  const lines: Line[] = [];
  let at = 0.5;
  const show = (text: string, typed: boolean) => lines.push({ text: cut(text), typed, at });
  let waiting: Promise<string> | undefined;
  for (const command of commands) {
    show(`$ ${command}`, true);
    at += typingSeconds;
    let output = "";
    if (command.endsWith("&")) waiting = shell(command.slice(0, -1));
    else output = await shell(command);
    // The reply wakes the one who waits: its words come out beside it.
    if (waiting && command.startsWith("inbox reply")) output += await waiting;
    for (const line of output.trimEnd().split("\n")) if (line.trim()) show(line, false);
    at += readingSeconds;
  }
  return lines;
}

function drawn(lines: readonly Line[]): string {
  const height = top + lines.length * lineHeight + 16;
  const rows = lines.map(({ text, typed, at }, i) => {
    const y = top + i * lineHeight;
    const colour = typed ? "#e6e1d8" : "#9fb4a8";
    return `<text x="${left}" y="${y}" fill="${colour}" style="animation-delay:${at.toFixed(1)}s">${escaped(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A thread from its creation to its result, on the command line</title>
<style>
text { font: 13.5px ui-monospace, "SF Mono", Menlo, Consolas, monospace; white-space: pre; opacity: 0; animation: shown 0.01s forwards; }
@keyframes shown { to { opacity: 1; } }
@media (prefers-reduced-motion: reduce) { text { opacity: 1; animation: none; } }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#1d2021"/>
<circle cx="22" cy="20" r="6" fill="#cc6b5a"/><circle cx="42" cy="20" r="6" fill="#d6a94d"/><circle cx="62" cy="20" r="6" fill="#7ba66b"/>
${rows.join("\n")}
</svg>
`;
}

await Bun.write(join(root, "docs/images/tour.svg"), drawn(await recorded()));
console.log("wrote docs/images/tour.svg");
