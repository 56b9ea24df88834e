/** The parts of the program, as CycloneDX JSON, from the lock file alone: what was built is what was locked. No hosts are in it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

const hashNames = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

/** `sha512-…` in base64, as hexadecimal. */
const hashesOf = (integrity = "") =>
  integrity.split(/\s+/).flatMap((each) => {
    const [, name, value] = /^(sha\d+)-(.+)$/.exec(each) ?? [];
    return name in hashNames
      ? [{ alg: hashNames[name], content: Buffer.from(value, "base64").toString("hex") }]
      : [];
  });

const purlOf = (name, version) => `pkg:npm/${name.replace(/^@/, "%40")}@${encodeURIComponent(version)}`;

/** An expression is more than one name; one name may be unknown to the standard's list, and is a name all the same. */
const licensesOf = (license) => {
  if (typeof license !== "string") return undefined;
  return / (?:OR|AND|WITH) /.test(license) ? [{ expression: license }] : [{ license: { name: license } }];
};

function componentOf([path, { version, integrity, license, dev, optional }]) {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const ref = purlOf(name, version);
  const licenses = licensesOf(license);
  return {
    type: "library",
    "bom-ref": ref,
    name,
    version,
    ...(optional && { scope: "optional" }),
    // Not a word about what is inside: of these the runtime and the page's libraries are, compilers and test tools are not.
    ...(dev && { properties: [{ name: "cdx:npm:package:development", value: "true" }] }),
    hashes: hashesOf(integrity),
    ...(licenses && { licenses }),
    purl: ref,
  };
}

export function sbom() {
  const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));
  const { name, version, license } = read("package.json");
  const installed = Object.entries(read("package-lock.json").packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && !link,
  );
  const components = new Map(installed.map(componentOf).map((each) => [each["bom-ref"], each]));
  const byRef = (a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": purlOf(name, version),
        name,
        version,
        ...(license && { licenses: licensesOf(license) }),
        purl: purlOf(name, version),
      },
    },
    components: [...components.values()].sort(byRef),
  };
}

export const writeSbom = (file) => writeFileSync(file, `${JSON.stringify(sbom(), null, 2)}\n`);
