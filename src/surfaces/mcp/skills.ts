/** [C7] Skills over MCP, for clients that support the extension: the texts that an agent with a shell reads, by address. */
import {
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from "@modelcontextprotocol/server";
import { SKILLS_GET_METHOD, SKILLS_LIST_METHOD, skillEntry } from "@modelcontextprotocol/server/ext/skills";
import * as v from "valibot";
import inbox from "../../../skills/inbox/SKILL.md" with { type: "text" };
import orch from "../../../skills/orch/SKILL.md" with { type: "text" };

/** By the folder they are in. */
const files: Record<string, string> = { inbox, orch };

const addressOf = (name: string) => `skill://${name}/SKILL.md`;

/** The text of a skill; undefined where there is none at that address. */
export function skillAt(uri: string): string | undefined {
  return Object.entries(files).find(([name]) => addressOf(name) === uri)?.[1];
}

let entries: ReturnType<typeof makeEntries> | undefined;
const makeEntries = () =>
  Promise.all(Object.entries(files).map(([name, text]) => skillEntry(name, { "SKILL.md": text })));

const skillEntries = () => {
  entries ??= makeEntries();
  return entries;
};

export const skillResources = async () =>
  (await skillEntries()).map(({ uri, frontmatter: { name, description } }) => ({
    uri,
    name,
    description,
    mimeType: "text/markdown",
  }));

export function serveSkills(server: Server, { era }: McpRequestContext): void {
  // The newest revision asks how long an answer may be cached. Skills change only with the program.
  const kept = era === "modern" ? { ttlMs: 0, cacheScope: "public" } : {};
  server.setRequestHandler(SKILLS_LIST_METHOD, { params: v.looseObject({}) }, async () => ({
    skills: await skillEntries(),
    ...kept,
  }));
  server.setRequestHandler(
    SKILLS_GET_METHOD,
    { params: v.looseObject({ uri: v.string() }) },
    async ({ uri }) => {
      const skill = (await skillEntries()).find((entry) => entry.uri === uri);
      if (!skill) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no skill ${uri}`);
      return { skill, ...kept };
    },
  );
}
