/** Completion scripts for the shells, derived from the operation table. */
import { InboxError } from "../../contract/errors.ts";
import { commandNames, operationsOf, ownCommands, type Program } from "./commands.ts";
import { flagsOf, globalFlags } from "./flags.ts";

interface Word {
  name: string;
  help: string;
  choices: readonly string[];
  takesFile: boolean;
  takesValue: boolean;
}

interface Command {
  name: string;
  help: string;
  flags: Word[];
}

const shells = { bash, zsh, fish };

export function completion(shell: string | undefined, program: Program): string {
  const make = shells[shell as keyof typeof shells];
  if (make) return make(commands(program), program);
  throw new InboxError(
    "invalid_input",
    `completion is for bash, zsh or fish, not ${shell ? `"${shell}"` : "nothing"}`,
    {
      hint: `for example: source <(${program} completion bash)`,
    },
  );
}

function commands(program: Program): Command[] {
  const everywhere = globalFlags.map(({ name, help, value }) => ({
    name,
    help,
    choices: [],
    takesFile: name === "--db",
    takesValue: value !== undefined,
  }));
  const ofBus = commandNames(program).map((name) => {
    const flags = new Map<string, Word>(everywhere.map((word) => [word.name, word]));
    for (const flag of operationsOf(name, program).flatMap(flagsOf))
      flags.set(flag.name, {
        name: flag.name,
        help: flag.help,
        choices: flag.field.choices ?? [],
        takesFile: flag.role === "file" || flag.role === "artifact",
        takesValue: flag.value !== undefined,
      });
    return { name, help: operationsOf(name, program)[0]!.summary, flags: [...flags.values()] };
  });
  const own = Object.entries(ownCommands(program)).map(([name, help]) => ({ name, help, flags: everywhere }));
  return [...ofBus, ...own];
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function bash(all: Command[], program: Program): string {
  const cases = all.map(
    ({ name, flags }) => `    ${quoted(name)}) flags=${quoted(flags.map((flag) => flag.name).join(" "))} ;;`,
  );
  const values = valueCases(
    all,
    (choices) => `COMPREPLY=($(compgen -W ${quoted(choices.join(" "))} -- "$current")); return`,
  );
  const second = subcommands(all).map(
    ([word, rest]) =>
      `    ${quoted(word)}) COMPREPLY=($(compgen -W ${quoted(rest.join(" "))} -- "$current")); return ;;`,
  );
  return `# bash completion for ${program}: source <(${program} completion bash)
_${program}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} flags=
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W ${quoted(firstWords(all).join(" "))} -- "$current")); return; fi
  if [ "$COMP_CWORD" -eq 2 ]; then case $command in
${second.join("\n")}
  esac; fi
  case $command in ${subcommands(all)
    .map(([word]) => word)
    .join("|")}) command="$command \${COMP_WORDS[2]}" ;; esac
  case "$command $previous" in
${values.join("\n")}
  esac
  case $previous in ${fileFlags(all).join("|")}) COMPREPLY=($(compgen -f -- "$current")); return ;; esac
  case $command in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$flags" -- "$current"))
}
complete -o filenames -F _${program} ${program}
`;
}

function zsh(all: Command[], program: Program): string {
  const describe = (word: Word) => {
    const help = word.help.replace(/[[\]:]/g, " ");
    const value = word.choices.length
      ? `:value:(${word.choices.join(" ")})`
      : word.takesFile
        ? ":file:_files"
        : word.takesValue
          ? ":value: "
          : "";
    return quoted(`${word.name}[${help}]${value}`);
  };
  const cases = all.map(
    ({ name, flags }) => `    ${quoted(name)}) _arguments ${flags.map(describe).join(" ")} ;;`,
  );
  const first = firstWords(all).map((word) =>
    quoted(`${word}:${(all.find(({ name }) => name === word)?.help ?? word).replaceAll(":", " ")}`),
  );
  const second = subcommands(all).map(
    ([word, rest]) =>
      `    ${quoted(word)}) if (( CURRENT == 3 )); then compadd ${rest.join(" ")}; return; fi; command="$command $words[3]" ;;`,
  );
  return `#compdef ${program}
# zsh completion for ${program}: source <(${program} completion zsh)
_${program}() {
  local command=$words[2]
  if (( CURRENT == 2 )); then local -a first=(${first.join(" ")}); _describe command first; return; fi
  case $command in
${second.join("\n")}
  esac
  case $command in
${cases.join("\n")}
  esac
}
compdef _${program} ${program}
`;
}

function fish(all: Command[], program: Program): string {
  const lines = [
    `# fish completion for ${program}: ${program} completion fish | source`,
    `complete -c ${program} -f`,
  ];
  for (const word of firstWords(all)) {
    const help = all.find(({ name }) => name === word)?.help ?? "";
    lines.push(`complete -c ${program} -n __fish_use_subcommand -a ${word} -d ${quoted(help)}`);
  }
  for (const [word, rest] of subcommands(all))
    lines.push(
      `complete -c ${program} -n '__fish_seen_subcommand_from ${word}' -a ${quoted(rest.join(" "))}`,
    );
  for (const { name, flags } of all)
    for (const flag of flags) {
      const value = flag.choices.length
        ? `-x -a ${quoted(flag.choices.join(" "))}`
        : flag.takesFile
          ? "-r -F"
          : flag.takesValue
            ? "-x"
            : "";
      const line = `complete -c ${program} -n '__fish_seen_subcommand_from ${name.split(" ").at(-1)}' -l ${flag.name.slice(2)} ${value} -d ${quoted(flag.help)}`;
      lines.push(line.replace(/ {2,}/g, " "));
    }
  return `${lines.join("\n")}\n`;
}

const firstWords = (all: Command[]) => [...new Set(all.map(({ name }) => name.split(" ")[0]!))];

function subcommands(all: Command[]): [string, string[]][] {
  const byWord = Map.groupBy(
    all.filter(({ name }) => name.includes(" ")).map(({ name }) => name.split(" ") as [string, string]),
    ([word]) => word,
  );
  return [...byWord].map(([word, pairs]) => [word, pairs.map(([, rest]) => rest)]);
}

const valueCases = (all: Command[], then: (choices: readonly string[]) => string) =>
  all.flatMap(({ name, flags }) =>
    flags
      .filter(({ choices }) => choices.length)
      .map((flag) => `    ${quoted(`${name} ${flag.name}`)}) ${then(flag.choices)} ;;`),
  );

const fileFlags = (all: Command[]) => [
  ...new Set(all.flatMap(({ flags }) => flags.filter(({ takesFile }) => takesFile).map(({ name }) => name))),
];
