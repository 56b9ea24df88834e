/** [N1] `inbox quickstart`: from an empty folder to a page with a question on it, in steps that are commands. */
import { basename } from "node:path";
import { runLocal } from "../../admin/operations.ts";
import { InboxError } from "../../contract/errors.ts";
import { parseInput } from "../../contract/operation.ts";
import { busQuickstart } from "../../contract/operations/bus-quickstart.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import { withoutPassword } from "../../contract/secret.ts";
import { shellWord } from "../../contract/shell-word.ts";
import { type Asked, databaseFile, isHub, locateOrNew, mayExist } from "../../location/locate.ts";
import { type ClientName, clientNames, clients } from "../../setup/clients.ts";
import { safe } from "../text/safe.ts";
import { openerOf, openPage } from "./browser.ts";
import type { CommandInput } from "./input.ts";
import { isAtTerminal } from "./question.ts";
import { openSteps, type Steps } from "./steps.ts";

type Output = OutputOf<"bus.quickstart">;

/** The agent that asks the first question and waits for the answer. */
const guide = "guide";
const demoChoice = "Show me the demo";
const answerSeconds = 600;

export async function runQuickstart(asked: Asked, { input }: CommandInput, json: boolean): Promise<Output> {
  const { yes, noOpen } = parseInput(busQuickstart, input);
  const atTerminal = !json && isAtTerminal();
  const { cwd, env } = asked;
  const db = locateOrNew(asked);
  if (isHub(db))
    throw new InboxError("invalid_input", `quickstart sets up a database here, but ${db} is a hub`, {
      hint: "leave out --db and INBOX_DB; inbox setup CLIENT --url connects an agent program to a hub",
    });
  const place = asked.db === undefined ? [] : ["--db", asked.db];
  const steps = openSteps({ cwd, env, json });

  steps.say("1. The bus: one file, in which agents leave each other mail and work.");
  if (mayExist(db)) steps.note(`${safe(db)} is there already`);
  else await steps.run("inbox", "init", ...place);
  if (cwd === env.HOME)
    steps.note("this is your home folder: commands in every folder below it use this bus");

  steps.say("2. The agent programs that you have, connected to it over MCP.");
  const found = clientNames.filter((name) =>
    clients[name].programs.some((each) => Bun.which(each, { PATH: env.PATH ?? "" })),
  );
  const configured = await connect(steps, found, { asked, yes, atTerminal, place });

  steps.say("3. The hub: the page, REST and MCP, in the background.");
  const { answer: up } = await steps.ask("inbox", ["up", ...place], ({ hub, already }) => [
    `${hub.url}${already ? " (it was already running)" : ""}`,
  ]);
  const { url } = up.hub;

  steps.say("4. A first question to you. Agents ask like this; the answer goes back to whoever asked.");
  const question = await ask(steps, basename(folderServed(db) ?? cwd), place);
  show(steps, url, !noOpen && atTerminal ? openerOf(env) : undefined, env);
  if (atTerminal && !yes) await wait(steps, question, place);

  steps.say("Next:");
  const at = place.map((word) => ` ${shellWord(withoutPassword(word))}`).join("");
  steps.note(
    `inbox send --agent me --to ada --subject "Add login"${at}   hands out work; inbox claim --agent ada${at} takes it`,
  );
  steps.note(
    `inbox top${at}    watches the bus; inbox status${at}, inbox logs${at} and inbox down${at} are about the hub`,
  );
  steps.note("inbox demo   shows sub-agents at work; inbox --help lists every command");
  return { db: up.db, url, found: [...found], configured };
}

interface Consent {
  asked: Asked;
  yes: boolean;
  atTerminal: boolean;
  place: readonly string[];
}

/** `setup` itself asks about each one, and shows what it would change. */
async function connect(
  steps: Steps,
  found: readonly ClientName[],
  { asked, yes, atTerminal, place }: Consent,
): Promise<ClientName[]> {
  if (!found.length) {
    steps.note(`none was found on the path (${clientNames.join(", ")}); later: inbox setup claude`);
    return [];
  }
  const configured: ClientName[] = [];
  for (const name of found) {
    const words = ["setup", name, ...place];
    if (yes) {
      const { answer } = await steps.ask("inbox", [...words, "--yes"], ({ file, changed }) => [
        changed ? `wrote ${file}; restart ${clients[name].title} to use it` : `${file} is up to date`,
      ]);
      if (answer.ok) configured.push(name);
    } else if (atTerminal) {
      await steps.hand("inbox", ...words);
      if (!(await runLocal("bus.setup", asked, { client: name })).changed) configured.push(name);
    } else {
      steps.note(`${clients[name].title} is installed: inbox ${words.join(" ")} connects it`);
    }
  }
  return configured;
}

function show(steps: Steps, url: string, opener: string | undefined, env: Asked["env"]): void {
  steps.say(`5. Your inbox: ${url}`);
  steps.note(opener ? `$ ${opener} ${url}` : "open it in a browser");
  if (opener) openPage(opener, url, env);
}

/** The folder that a bus is in, as `init` creates it: the same from every folder below it. */
const folderServed = (db: string) => /^(.+)\/\.agents\/[^/]+$/.exec(databaseFile(db) ?? "")?.[1];

interface Question {
  id: string;
  /** An earlier quickstart has asked it. */
  asked: boolean;
}

/** Asked once for each folder: the key makes a second quickstart find the first one's question. */
async function ask(steps: Steps, folder: string, place: readonly string[]): Promise<Question> {
  const text = `Restante runs in ${folder}. What next?`;
  const { answer } = await steps.ask(
    "inbox",
    [
      ...["ask", "user", text, "--choices", `Got it,${demoChoice}`],
      ...["--agent", guide, "--idempotency-key", `quickstart-${folder}`, ...place],
    ],
    ({ deduplicated }) => (deduplicated ? ["(it was already asked)"] : []),
  );
  return { id: answer.message.message_id, asked: answer.deduplicated === true };
}

/** A question of an earlier quickstart may be answered, or deleted: then nobody can press a button. */
async function isOpen(steps: Steps, { id, asked }: Question, place: readonly string[]): Promise<boolean> {
  if (!asked) return true;
  const { answer } = await steps.ask("inbox", ["entries", "list", "--needs-you", "--limit", "200", ...place]);
  return answer.entries.some(({ message_id }: { message_id: string | null }) => message_id === id);
}

async function wait(steps: Steps, question: Question, place: readonly string[]): Promise<void> {
  const open = await isOpen(steps, question, place);
  if (open) steps.note("press a button there (Ctrl-C: not now)");
  // An answer that was given after an earlier quickstart was interrupted is still in the inbox.
  const seconds = open ? answerSeconds : 0;
  const words = ["receive", "--agent", guide, "--timeout-seconds", String(seconds), ...place];
  const { answer } = await steps.ask("inbox", words);
  const [mail] = answer.messages;
  if (!mail) return open ? undefined : steps.note("that question is already answered, or was deleted");
  const { choice } = JSON.parse(mail.metadata_json);
  steps.note(`you answered: ${safe(choice ?? mail.message)}`);
  if (choice === demoChoice) await steps.hand("inbox", "demo");
}
