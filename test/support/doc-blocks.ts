/**
 * Blocks of shell and TypeScript in a document. All blocks of one document run in order, in one empty folder, as a reader
 * would type them. `<!-- setup: COMMAND -->` before a block runs first; `<!-- not run: REASON -->` leaves a block out.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./cli.ts";

export interface Block {
  line: number;
  language: "bash" | "ts";
  text: string;
  setup?: string;
  notRun?: string;
}

const fence =
  /(?:<!-- (setup|not run): ((?:(?!-->)[\s\S])*?) -->\n+)?^```(bash|sh|shell|ts|typescript)\n([\s\S]*?)^```$/gm;

export function blocksOf(file: string): Block[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(fence)].map((match) => {
    const [, note, said, language, body] = match;
    return {
      line: text.slice(0, match.index).split("\n").length,
      language: language!.startsWith("t") ? "ts" : "bash",
      text: body!,
      ...(note === "setup" && { setup: said }),
      ...(note === "not run" && { notRun: said }),
    };
  });
}

/** Documents whose blocks are run: those that people follow. The story of a team has a test of its own, which also looks at what it prints. */
export const documents = () =>
  ["README.md", ...new Bun.Glob("docs/**/*.md").scanSync(root)]
    .filter((file) => !/^docs\/(generated\/|decisions\/|team\.md)/.test(file))
    .sort();
