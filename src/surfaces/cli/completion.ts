/** Completion scripts for the shells, derived from the operation table. */
import { InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { commandNames, operationsOf, ownCommands, type Program } from "./commands.ts";
import { type NameKind, namesTaken } from "./completion-names.ts";
import { flagsOf, globalFlags } from "./flags.ts";

interface Word {
  name: string;
  help: string;
  choices: readonly string[];
  /** The kind of names that it takes, which are read from the bus. */
  names?: NameKind;
  takesFile: boolean;
  takesValue: boolean;
}

interface Command {
  name: string;
  help: string;
  flags: Word[];
  /** The names that its first plain argument takes. */
  names?: NameKind;
}

const shells = { bash, zsh, fish };

export function completion(shell: string | undefined, program: Program): string {
  const make = shells[shell as keyof typeof shells];
  if (make) return make(commands(program), program);
  throw new InboxError(
    "invalid_input",
    shell
      ? `the shell must be one of bash, zsh, fish; got "${shell}"`
      : "the shell is required: bash, zsh or fish",
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
    const ops = operationsOf(name, program);
    for (const op of ops)
      for (const flag of flagsOf(op))
        flags.set(flag.name, {
          name: flag.name,
          help: flag.help,
          choices: flag.field.choices ?? [],
          names: flag.role === "value" ? namesTaken(op, flag.field) : undefined,
          takesFile: flag.role === "file" || flag.role === "artifact",
          takesValue: flag.value !== undefined,
        });
    return { name, help: ops[0]!.summary, flags: [...flags.values()], names: firstNames(ops) };
  });
  const own = Object.entries(ownCommands(program)).map(([name, help]) => ({ name, help, flags: everywhere }));
  return [...ofBus, ...own];
}

/** Only the first plain argument: a script cannot tell from the position whether another one follows. */
function firstNames(ops: readonly AnyOperation[]): NameKind | undefined {
  for (const op of ops) {
    const flag = flagsOf(op).find(({ field }) => field.key === op.cli.plain?.[0]);
    const kind = flag && namesTaken(op, flag.field);
    if (kind) return kind;
  }
  return undefined;
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
  const named = (kind: NameKind) =>
    `COMPREPLY=($(compgen -W "$(${program} completion names ${kind} 2>/dev/null)" -- "$current")); return`;
  for (const { name, flags } of all)
    for (const flag of flags)
      if (flag.names) values.push(`    ${quoted(`${name} ${flag.name}`)}) ${named(flag.names)} ;;`);
  const firsts = all.flatMap(({ name, names }) =>
    names ? [`    ${quoted(`${name} ${name.split(" ").length + 1}`)}) ${named(names)} ;;`] : [],
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
  if [[ $current != -* ]]; then case "$command $COMP_CWORD" in
${firsts.join("\n")}
  esac; fi
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
      : word.names
        ? `:value: _${program}_names ${word.names}`
        : word.takesFile
          ? ":file:_files"
          : word.takesValue
            ? ":value: "
            : "";
    return quoted(`${word.name}[${help}]${value}`);
  };
  const place = (name: string, names: NameKind | undefined) =>
    names ? [quoted(`${name.split(" ").length + 1}:name: _${program}_names ${names}`)] : [];
  const cases = all.map(
    ({ name, flags, names }) =>
      `    ${quoted(name)}) _arguments ${[...flags.map(describe), ...place(name, names)].join(" ")} ;;`,
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
_${program}_names() { compadd -- \${(f)"$(${program} completion names $1 2>/dev/null)"} }
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
  for (const { name, names } of all)
    if (names)
      lines.push(
        `complete -c ${program} -n '__fish_seen_subcommand_from ${name.split(" ").at(-1)}' -a ${quoted(`(${program} completion names ${names})`)}`,
      );
  for (const { name, flags } of all)
    for (const flag of flags) {
      const value = flag.choices.length
        ? `-x -a ${quoted(flag.choices.join(" "))}`
        : flag.names
          ? `-x -a ${quoted(`(${program} completion names ${flag.names})`)}`
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
