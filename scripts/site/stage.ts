/** Puts everything the site is made of into one folder: the documents of the repository and the pages of the reference. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { referencePages } from "./pages.ts";

const root = join(import.meta.dir, "../..");

/** Documents outside of docs/, and what they are called on the site. */
const outside: Record<string, string> = {
  "SPEC.md": "spec.md",
  "ARCHITECTURE.md": "architecture.md",
  "CHANGELOG.md": "changes.md",
  "bench/RESULTS.md": "figures.md",
};

const outsideImages: Record<string, string> = { "bench/RESULTS.svg": "images/figures.svg" };

/** Groups of the sidebar by folder of docs/; the order is the order in which somebody new reads. */
const folders: [folder: string, text: string][] = [
  ["start", "Start"],
  ["concepts", "Concepts"],
  ["recipes", "Recipes"],
  ["operate", "Operate"],
  ["extend", "Extend"],
  ["decisions", "Decisions"],
];

export async function stage(target: string): Promise<number> {
  rmSync(target, { recursive: true, force: true });
  const pages = new Map<string, string>();
  for (const file of new Bun.Glob("**/*.md").scanSync(join(root, "docs")))
    if (!file.startsWith("generated/")) pages.set(file, readFileSync(join(root, "docs", file), "utf8"));
  const places = new Map([...pages.keys()].map((file) => [`docs/${file}`, file]));
  for (const [file, place] of Object.entries(outside)) {
    pages.set(place, readFileSync(join(root, file), "utf8"));
    places.set(file, place);
  }
  for (const [source, place] of places) pages.set(place, linksMoved(pages.get(place)!, source, places));
  const guides = guideGroups(pages);
  for (const [folder, text] of folders)
    if (!pages.has(`${folder}/index.md`))
      pages.set(`${folder}/index.md`, contents(text, guides.get(folder) ?? []));
  const { files, groups } = referencePages();
  for (const [place, text] of files) pages.set(place, text);
  for (const [place, text] of pages) await Bun.write(join(target, place), asText(text));
  const images = [...new Bun.Glob("images/**/*").scanSync(join(root, "docs"))].map((image) => [
    `docs/${image}`,
    image,
  ]);
  for (const [from, to] of [...images, ...Object.entries(outsideImages)] as [string, string][]) {
    mkdirSync(dirname(join(target, to)), { recursive: true });
    await copyFile(join(root, from), join(target, to));
  }
  const reading = [
    ...folders.flatMap(([folder, text]) => {
      const items = guides.get(folder) ?? [];
      return items.length ? [{ text, items, collapsed: folder === "decisions" }] : [];
    }),
    { text: "Guides", items: guides.get("") ?? [] },
    { text: "Project", items: Object.values(outside).map((place) => itemOf(place, pages.get(place)!)) },
    { text: "Reference", items: groups.map(({ text, link }) => ({ text, link })) },
  ];
  // A page of the reference lists its own kind only: the list is a part of every page.
  const sidebar = Object.fromEntries([
    ...groups.map((group) => {
      const others = groups.filter((other) => other !== group).map(({ text, link }) => ({ text, link }));
      return [
        group.link,
        [
          { text: group.text, items: group.items },
          { text: "Reference", items: others },
        ],
      ];
    }),
    ["/", reading],
  ]);
  await Bun.write(join(target, ".vitepress/sidebar.json"), JSON.stringify(sidebar));
  // Without the letters of the theme: those of the system are there already.
  const theme = 'export { default } from "vitepress/theme-without-fonts";\n';
  await Bun.write(join(target, ".vitepress/theme/index.ts"), theme);
  await copyFile(join(import.meta.dir, "config.ts"), join(target, ".vitepress/config.ts"));
  return pages.size;
}

const titleOf = (text: string, place: string) => /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? place;
const itemOf = (place: string, text: string) => ({
  text: titleOf(text, place),
  link: `/${place.replace(/\.md$/, "").replace(/(^|\/)index$/, "$1")}`,
});

function guideGroups(pages: Map<string, string>): Map<string, { text: string; link: string }[]> {
  const groups = new Map<string, { text: string; link: string }[]>();
  for (const [place, text] of [...pages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (place === "index.md" || Object.values(outside).includes(place)) continue;
    const folder = place.includes("/") ? place.split("/")[0]! : "";
    if (place === `${folder}/index.md`) continue;
    groups.set(folder, [...(groups.get(folder) ?? []), itemOf(place, text)]);
  }
  return groups;
}

const contents = (text: string, items: { text: string; link: string }[]) =>
  `# ${text}\n\n${items.map((item) => `- [${item.text}](${item.link})`).join("\n")}\n`;

/** Links among documents lead to their pages; what is not on the site (sources, scripts) is named without a link. */
function linksMoved(text: string, source: string, places: Map<string, string>): string {
  return text.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, image, label, address) => {
    if (/^[a-z]+:|^#|^\//.test(address)) return whole;
    const [path, anchor = ""] = address.split(/(?=#)/);
    const file = posix.normalize(posix.join(posix.dirname(source), path));
    if (image) return `![${label}](/${outsideImages[file] ?? file.replace(/^docs\//, "")})`;
    const place = places.get(file);
    return place === undefined ? label : `[${label}](/${place.replace(/\.md$/, "")}${anchor})`;
  });
}

/** Outside of code, what looks like a tag or a template of Vue is text. */
function asText(text: string): string {
  const parts = text.split(/(^```[\s\S]*?^```|`[^`\n]+`)/m);
  return parts
    .map((part, i) =>
      i % 2
        ? part.startsWith("```")
          ? part
          : part.includes("{{")
            ? `<span v-pre>${part}</span>`
            : part
        : part
            .replace(/<(?!!--|\/?(?:br|kbd|img|span|details|summary|p|a|sub|sup|picture|source)\b)/g, "&lt;")
            .replaceAll("{{", "&#123;&#123;"),
    )
    .join("");
}
