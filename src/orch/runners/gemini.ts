/**
 * [Q8] Gemini CLI, by its ACP mode: the one way to hand it a server for one run. Its plain mode takes servers only from
 * files that are the user's, or that root must own.
 */
import type { RunnerSettings } from "../profiles/profile.ts";
import { acpRunner } from "./acp.ts";

const approvals = {
  allow: ["--approval-mode", "yolo"],
  edit: ["--approval-mode", "auto_edit"],
  ask: [],
  reject: [],
} as const;

export const geminiRunner = (settings: RunnerSettings) =>
  acpRunner(settings, {
    // In a folder that nobody has called trusted it starts no server at all, ours included.
    flags: ({ permission }) => ["--acp", "--skip-trust", ...approvals[permission]],
    // Else it starts itself a second time, to have more memory, and takes twice as long.
    // It can load a conversation, but not within the minute in which that began: it then writes over it.
    forgets: true,
    env: { GEMINI_CLI_NO_RELAUNCH: "true" },
  });
