/**
 * A network of a test's own, with links that can be cut. Segments are bridges, and this process has an address on each;
 * a house is a namespace with a link into every segment. A cut drops packets silently both ways, as a dead switch does:
 * no socket is told. Houses go with their process, and that with whoever made it; links by name.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { until } from "./until.ts";

const call = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: "utf8" });
const succeeds = (command: string, ...args: string[]) => call(command, ...args).status === 0;

/** Tried in a namespace that is gone afterwards. */
export const canMakeNetworks = () =>
  process.getuid?.() === 0 &&
  succeeds(
    "unshare",
    "--net",
    "sh",
    "-c",
    "ip link add one type bridge && ip link add two type veth peer name three",
  );

export interface House {
  /** The same command, in there. It dies with us. */
  inside(command: readonly string[]): string[];
  cut(...segments: string[]): void;
  heal(...segments: string[]): void;
}

export interface Network {
  /** Where this process can be reached, by segment. */
  address: Record<string, string>;
  house(): Promise<House>;
  [Symbol.asyncDispose](): Promise<void>;
}

function ip(...args: string[]): void {
  const { status, stderr } = call("ip", ...args);
  if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
}

const prefix = "rst";
const dyingWithUs = ["setpriv", "--pdeathsig", "KILL"];

/** What a killed run has left. */
function sweep(): void {
  for (const name of readdirSync("/sys/class/net")) {
    const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) succeeds("ip", "link", "del", name);
  }
}

/** Neighbours are written down, so that a cut is not noticed by a question for them that nobody answers. */
export function startNetwork(...segments: string[]): Network {
  sweep();
  const bridge = (index: number) => `${prefix}${process.pid}-${index}`;
  const port = (index: number, house: number) => `${bridge(index)}${String.fromCharCode(96 + house)}`;
  // Addresses that are meant for tests of networks, and nobody's.
  const addressOf = (index: number, house: number) =>
    `198.18.${(process.pid * 4 + index) % 256}.${house + 1}`;
  const macOf = (index: number, house: number) => `02:00:00:00:0${index}:0${house}`;
  const holders: Bun.Subprocess[] = [];

  for (const index of segments.keys()) {
    ip("link", "add", bridge(index), "address", macOf(index, 0), "type", "bridge");
    ip("addr", "add", `${addressOf(index, 0)}/24`, "dev", bridge(index));
    ip("link", "set", bridge(index), "up");
  }

  async function house(): Promise<House> {
    const holder = Bun.spawn([...dyingWithUs, "unshare", "--net", "sleep", "infinity"], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    const number = holders.push(holder);
    const namespace = (pid: number) => readlinkSync(`/proc/${pid}/ns/net`);
    await until("the network namespace is there", () => namespace(holder.pid) !== namespace(process.pid));
    const inside = (command: readonly string[]) => [
      ...[...dyingWithUs, "nsenter", "--target", String(holder.pid), "--net"],
      ...command,
    ];
    const there = (...args: string[]) => {
      const [program, ...rest] = inside(["ip", ...args]) as [string, ...string[]];
      if (!succeeds(program, ...rest)) throw new Error(`ip ${args.join(" ")} in a house`);
    };
    there("link", "set", "lo", "up");
    for (const index of segments.keys()) {
      const [mine, its] = [port(index, number), `up${index}`];
      const mac = macOf(index, number);
      ip(
        ...["link", "add", mine, "type", "veth"],
        ...["peer", "name", its, "address", mac, "netns", String(holder.pid)],
      );
      ip("link", "set", mine, "master", bridge(index), "up");
      there("addr", "add", `${addressOf(index, number)}/24`, "dev", its);
      there("link", "set", its, "up");
      there(
        "neigh",
        "replace",
        addressOf(index, 0),
        "lladdr",
        macOf(index, 0),
        "dev",
        its,
        "nud",
        "permanent",
      );
      const known = ["lladdr", mac, "dev", bridge(index), "nud", "permanent"];
      ip("neigh", "replace", addressOf(index, number), ...known);
    }
    const each = (names: readonly string[], act: (index: number) => void) => {
      for (const name of names) act(segments.indexOf(name));
    };
    return {
      inside,
      // Pulled out at the far end: the link itself stays up.
      cut: (...names) => each(names, (index) => ip("link", "set", port(index, number), "nomaster")),
      heal: (...names) =>
        each(names, (index) => ip("link", "set", port(index, number), "master", bridge(index))),
    };
  }

  return {
    address: Object.fromEntries(segments.map((name, index) => [name, addressOf(index, 0)])),
    house,
    async [Symbol.asyncDispose]() {
      for (const holder of holders) holder.kill("SIGKILL");
      await Promise.all(holders.map((holder) => holder.exited));
      // Not only the bridges: what was unsaid in a cut-off house keeps its links for a while.
      for (const index of segments.keys())
        for (const name of [...holders.map((_, i) => port(index, i + 1)), bridge(index)])
          succeeds("ip", "link", "del", name);
    },
  };
}
