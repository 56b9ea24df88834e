/** `npm run demo`: builds the program and plays a short, real round on a temporary database. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfChanged } from "./build.mjs";
import { cleanEnvironment, root } from "./setup.mjs";

const tty = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (tty ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim] = [paint(1), paint(2)];

if (!existsSync(join(root, "dist/inbox"))) console.log("Building inbox …");
buildIfChanged();
const inbox = join(root, "dist/inbox");
const folder = mkdtempSync(join(tmpdir(), "restante-demo-"));
const { INBOX_DB, INBOX_AGENT, ...env } = cleanEnvironment();
const options = { cwd: folder, env, encoding: "utf8" };

const shown = (args) => args.map((word) => (/[^\w./,:=-]/.test(word) ? `"${word}"` : word)).join(" ");
const indented = (text) => text.trimEnd().replace(/^(?=.)/gm, "    ");
const tell = (text) => console.log(`\n${bold(text)}`);

/** Runs a command to its end and shows it. */
function play(...args) {
  const { stdout, stderr, status } = spawnSync(inbox, args, options);
  console.log(`${dim("  $")} inbox ${shown(args)}${status ? dim(`   (exit ${status})`) : ""}`);
  console.log(indented(stdout + stderr));
  return { status, stdout };
}

/** Starts a command; the promise has what it said. */
function begin(...args) {
  const child = spawn(inbox, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  return new Promise((done) => child.on("close", (status) => done({ args, status, text })));
}

function show({ args, status, text }) {
  console.log(`${dim("  $")} inbox ${shown(args)}${status ? dim(`   (exit ${status})`) : ""}`);
  console.log(indented(text));
}

try {
  console.log(dim(`A round on a temporary database in ${folder}`));
  play("init");
  tell("Two workers join a pool, and the leader hands out work to it.");
  for (const worker of ["ada", "bob"]) play("pool", "join", "backend", "--agent", worker);
  play("send", "--from", "leader", "--to", "backend", "--subject", "Add login to the admin page");
  tell("Both race for it. One wins, the other finds nothing left.");
  const race = await Promise.all(["ada", "bob"].map((worker) => begin("claim", "--agent", worker)));
  race.forEach(show);
  const winner = race.find(({ status }) => status === 0).args[2];
  tell(`${winner} is blocked, asks, and waits. No polling: it sleeps until the answer is there.`);
  play(
    "update",
    "thr_1",
    "--agent",
    winner,
    "--status",
    "blocked",
    "--summary",
    "Password or single sign-on?",
  );
  const started = Date.now();
  const waiting = begin("wait-reply", "thr_1", "--agent", winner, "--timeout-seconds", "30");
  tell("The leader answers, and the worker wakes.");
  play("reply", "thr_1", "A password will do for now", "--from", "leader");
  show(await waiting);
  console.log(dim(`    (asked and answered in ${Date.now() - started} ms, both processes included)`));
  tell("The result comes back.");
  play("done", "thr_1", "Login works, 12 tests", "--agent", winner);
  play("list");
  console.log(`
${bold("Now yours:")}
  export PATH="${join(root, "bin")}:$PATH"     # inbox, from this checkout
  cd your/project && inbox init                # a database of its own in .agents/
  inbox send worker "hello"                    # a plain message
  inbox --help                                 # everything else, with examples
`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
