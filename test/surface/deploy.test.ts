/** The files in deploy/ name flags, variables, routes and files of ours: they must be there, or nobody would notice until it hurts. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, orch, root, run } from "../support/cli.ts";
import { served } from "../support/hub.ts";

const folder = join(root, "deploy");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const files = readdirSync(folder).filter((name) => name !== ".env");
const help = async (...words: string[]) => (await run([...words, "--help"])).stdout;

interface Service {
  command?: string[];
  build?: { context: string; dockerfile: string };
  image: string;
  environment: Record<string, string>;
  volumes?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}
const compose = Bun.YAML.parse(read("compose.yaml")) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const dockerfile = read("Dockerfile");
/** A line of the Dockerfile in JSON's form, as its words. */
const wordsOf = (instruction: string): string[] =>
  JSON.parse(new RegExp(`^${instruction} (?:.*? CMD )?(\\[.*\\])$`, "m").exec(dockerfile)![1]!);

/** `name=value` lines of a unit; a name may come several times. */
function unit(name: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [, key, value] of read(name).matchAll(/^(\w+)=(.*)$/gm))
    found.set(key!, [...(found.get(key!) ?? []), value!]);
  return found;
}
const hubUnit = unit("restante-hub.service");

/** Every command of ours in these files, up to the end of its line or of its quotation. */
function commands(): string[] {
  const inContainers = [compose.services.hub!.command!, wordsOf("CMD")].map((words) => words.join(" "));
  const written = files.flatMap((name) =>
    // After `inbox`, or where Compose runs it.
    [...read(name).matchAll(/(?:\binbox|run --rm hub) ((?:--[a-z]+ \S+ )?[a-z][^`#\n&|;)]*)/g)].map(
      (match) => match[1]!,
    ),
  );
  return [...inContainers, ...written].map((line) => line.trim());
}

/** The words that name the command; before it are flags that all commands take. */
function commandIn(line: string): string[] {
  const words = line.replace(/^(--[a-z]+ \S+ )+/, "").split(/\s+/);
  return words.slice(0, words[0] === "token" ? 2 : 1);
}

describe("deploy", () => {
  test("[C4] every command in these files is one of the program's, with flags that it takes", async () => {
    const lines = commands();
    expect(lines.length).toBeGreaterThan(6);
    for (const line of lines) {
      const command = commandIn(line);
      const text = await help(...command);
      expect(text, line).toContain(`Usage: inbox ${command.join(" ")}`);
      for (const flag of line.match(/--[a-z-]+/g) ?? []) expect(text, line).toContain(`${flag} `);
    }
  });

  test("[C4] every variable of ours in these files is known to the program", async () => {
    const profiles = await run(["agents", "--help"], { program: [orch] });
    const known = `${await help()}${profiles.stdout}`;
    const named = new Set(files.flatMap((name) => read(name).match(/\bINBOX_[A-Z_]+/g) ?? []));
    expect(named.size).toBeGreaterThan(2);
    for (const variable of named) expect(known).toContain(variable);
  });

  test("[C4] what Compose needs of its environment file is in the example", () => {
    const used = new Set([...read("compose.yaml").matchAll(/\$\{(\w+)/g)].map((match) => match[1]!));
    const given = new Set([...read("compose.env.example").matchAll(/^(\w+)=/gm)].map((match) => match[1]!));
    expect([...used].sort()).toEqual([...given].sort());
  });

  test("[C4] the services depend on services that exist, and are built from files that exist", () => {
    const { services, volumes } = compose;
    for (const [name, service] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(services, `${name} needs ${other}`).toHaveProperty(other);
        if (condition === "service_healthy") expect(services[other]!.healthcheck?.test[0]).toBe("CMD");
      }
      for (const volume of service.volumes ?? []) expect(volumes).toHaveProperty(volume.split(":")[0]!);
    }
    const { context, dockerfile: path } = services.hub!.build!;
    expect(join(folder, context, path)).toBe(join(folder, "Dockerfile"));
    // Addresses lead to services of these names.
    for (const address of Object.values(services.hub!.environment))
      expect(services).toHaveProperty(/@(\w+):\d+/.exec(address)![1]!);
    const scripts = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;
    for (const [, script] of dockerfile.matchAll(/npm run (\w+)/g)) expect(scripts).toHaveProperty(script!);
    expect(dockerfile).toMatch(/^USER (?!root|0)\S+$/m);
  });

  test("[C4] the unit's program, flags and checks are the hub's, and it has no rights it does not need", () => {
    expect(hubUnit.get("ExecStart")![0]).toMatch(/^\/usr\/local\/bin\/inbox serve /);
    expect(hubUnit.get("EnvironmentFile")).toEqual(["/etc/restante/hub.env"]);
    for (const [name, value] of [
      ["DynamicUser", "yes"],
      ["ProtectSystem", "strict"],
      ["NoNewPrivileges", "yes"],
      ["CapabilityBoundingSet", ""],
      ["Restart", "on-failure"],
    ] as const)
      expect(hubUnit.get(name), name).toEqual([value]);
  });

  test("[C4] the health checks of image and unit tell a hub that serves from one that does not", async () => {
    const hub = await served();
    const { port } = new URL(hub.url);
    const check = (words: readonly string[]) =>
      Bun.spawn(
        words.map((word) => word.replace("3456", port)),
        { env: bareEnvironment(), stdout: "ignore", stderr: "ignore" },
      ).exited;
    const image = wordsOf("HEALTHCHECK");
    // Asked once here: that it asks again is curl's affair.
    const started = hubUnit
      .get("ExecStartPost")![0]!
      .split(" ")
      .filter((_, i, words) => {
        const at = words.indexOf("--retry");
        return i < at || i > at + 4;
      });
    try {
      expect(await check(image)).toBe(0);
      if (Bun.which("curl")) expect(await check(started)).toBe(0);
    } finally {
      await hub[Symbol.asyncDispose]();
    }
    expect(await check(image)).not.toBe(0);
    if (Bun.which("curl")) expect(await check(started)).not.toBe(0);
  });

  test.skipIf(!Bun.which("systemd-analyze"))("[C4] systemd has nothing to say against the unit", () => {
    const { stderr } = Bun.spawnSync(["systemd-analyze", "verify", join(folder, "restante-hub.service")]);
    // The program is not installed here.
    const complaints = stderr
      .toString()
      .split("\n")
      .filter((line) => line && !/\/(inbox|curl) is not executable/.test(line));
    expect(complaints).toEqual([]);
  });
});

test("[C4] the build lists its parts: each that is locked, with its hash, and no host", async () => {
  const text = readFileSync(join(root, "dist/sbom.cdx.json"), "utf8");
  const { bomFormat, components } = JSON.parse(text);
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const locked = Object.keys(lock.packages).filter((path) => path.includes("node_modules/"));
  const names = new Set(locked.map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)));
  expect(bomFormat).toBe("CycloneDX");
  expect(new Set(components.map(({ name }: { name: string }) => name))).toEqual(names);
  for (const { purl, hashes } of components) {
    expect(purl).toMatch(/^pkg:npm\/[^ ]+@\d/);
    expect(hashes).not.toBeEmpty();
  }
  expect(text).not.toContain("//");
});
