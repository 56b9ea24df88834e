/** Whoever can write into the folder an agent works in must not get code into `inbox`, nor speak through it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program, type Result, type RunOptions, root, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const hostile = join(folder.path, "hostile");
const mapped = join(folder.path, "mapped");
const marker = join(folder.path, "marker");
const secondBus = join(hostile, "theirs.db");
const checkout = join(folder.path, "checkout");

beforeAll(async () => {
  layTraps();
  layCheckout();
  const made = await run(["init", "--db", secondBus]);
  expect(made.code).toBe(0);
});

function layTraps(): void {
  const attack = `require("node:fs").appendFileSync(${JSON.stringify(marker)}, "loaded " + process.argv.join(" ") + "\\n");`;
  const write = (path: string, text: string, where = hostile) => {
    mkdirSync(join(where, path, ".."), { recursive: true });
    writeFileSync(join(where, path), text);
  };
  write("attack.cjs", attack);
  write("bunfig.toml", 'preload = ["./attack.cjs"]\n[run]\npreload = ["./attack.cjs"]\n');
  for (const name of [".env", ".env.local", ".env.production", ".env.development"])
    write(name, `INBOX_AGENT=mallory\nINBOX_DB=${secondBus}\nBUN_OPTIONS=--preload=./attack.cjs\n`);
  const imports = { valibot: "./attack.cjs", "#*": "./attack.cjs" };
  write("package.json", JSON.stringify({ name: "restante", main: "attack.cjs", imports, bin: "attack.cjs" }));
  for (const name of ["valibot", "bun", "fs"]) {
    write(`node_modules/${name}/index.js`, attack);
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
  }
  // Apart from the others: from source it replaces the very file that is run, whatever its path.
  const paths = { "*": ["./attack.ts"], valibot: ["./attack.ts"] };
  write("attack.ts", attack, mapped);
  write("tsconfig.json", JSON.stringify({ compilerOptions: { baseUrl: ".", paths } }), mapped);
  mkdirSync(join(mapped, "inner"));
}

/** A checkout that was never built, so that bin/inbox runs the source. */
function layCheckout(): void {
  mkdirSync(join(checkout, "bin"), { recursive: true });
  copyFileSync(join(root, "bin/inbox"), join(checkout, "bin/inbox"));
  for (const name of ["src", "node_modules", "package.json", "bunfig.toml", "tsconfig.json"])
    symlinkSync(join(root, name), join(checkout, name));
}

const ways = [
  { name: "the executable", command: [program] },
  { name: "bin/inbox of the checkout", command: [join(root, "bin/inbox")] },
  { name: "bin/inbox from source", command: [join(checkout, "bin/inbox")] },
];

async function inHostileFolder(command: readonly string[], args: string[], more: RunOptions = {}) {
  rmSync(marker, { force: true });
  return run(args, { cwd: hostile, program: command, ...more });
}

function expectNothingLoaded(result: Result): void {
  expect(existsSync(marker)).toBe(false);
  expect(result.stderr).not.toContain("attack");
}

test("[X5] the traps are real: the bare runtime steps into them", async () => {
  const bare = [process.execPath, "-e", "console.log(process.env.INBOX_AGENT)"];
  expect((await inHostileFolder(bare, [])).stdout).toBe("mallory\n");
  expect(existsSync(marker)).toBe(true);
  await inHostileFolder([process.execPath, join(root, "src/main.ts")], [], { cwd: mapped });
  expect(existsSync(marker)).toBe(true);
});

describe.each(ways)("$name", ({ command }) => {
  test("[X5] takes neither database nor identity from the folder's .env, and runs nothing of it", async () => {
    const listed = await inHostileFolder(command, ["list", "--json"]);
    expect(listed.json.error.code).toBe("not_initialized");
    expect(listed.code).toBe(40);
    expectNothingLoaded(listed);

    const claimed = await inHostileFolder(command, ["claim", "--db", secondBus, "--json"]);
    expect(claimed.json.error.code).toBe("invalid_input");
    expect(claimed.code).toBe(30);
    expectNothingLoaded(claimed);
  });

  test("[X5] a command that writes, in the folder, runs nothing of it either", async () => {
    const bus = join(folder.path, `bus-${ways.findIndex((way) => way.command === command)}.db`);
    expect((await inHostileFolder(command, ["init", "--db", bus, "--json"])).json.created).toBe(true);
    const sent = await inHostileFolder(command, [
      "send",
      "--db",
      bus,
      ...["--from", "l", "--to", "w", "--subject", "s", "--json"],
    ]);
    expect(sent.json.message.from_agent).toBe("l");
    expectNothingLoaded(sent);
  });

  test.each([mapped, join(mapped, "inner")])(
    "[X5] a tsconfig.json there or above it maps nothing",
    async (cwd) => {
      const result = await inHostileFolder(command, ["--version", "--json"], { cwd });
      expectNothingLoaded(result);
      expect(result.json.ok).toBe(true);
    },
  );
});

const steering: { name: string; env: Record<string, string> }[] = [
  { name: "BUN_OPTIONS", env: { BUN_OPTIONS: "--preload=./attack.cjs" } },
  { name: "BUN_BE_BUN", env: { BUN_BE_BUN: "1" } },
  {
    name: "BUN_INSPECT_PRELOAD",
    env: { BUN_INSPECT_PRELOAD: "./attack.cjs", BUN_INSPECT: "ws+unix://inspect" },
  },
  { name: "BUN_TCC_OPTIONS", env: { BUN_TCC_OPTIONS: "-include attack.cjs" } },
  { name: "both", env: { BUN_OPTIONS: "--preload ./attack.cjs", BUN_BE_BUN: "1" } },
];

describe.each(steering)("$name in the environment", ({ env }) => {
  test.each(ways)("[X5] does not steer $name", async ({ command }) => {
    const result = await inHostileFolder(command, ["--version", "--json"], { env });
    expect(result.json.ok).toBe(true);
    expect(result.code).toBe(0);
    expectNothingLoaded(result);
    // As an argument Bun would run it; the program has no such command.
    const asked = await inHostileFolder(command, ["attack.cjs", "--json"], { env });
    expect(asked.json.error.code).toBe("invalid_input");
    expectNothingLoaded(asked);
  });
});
