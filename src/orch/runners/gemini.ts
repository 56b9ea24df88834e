/**
 * [Q8] Gemini CLI in its ACP mode: the only way to give it a server for one run. Its plain mode takes servers only
 * from the user's own files, or from files that must belong to root.
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
    // In a folder that is not marked as trusted it starts no servers, ours included.
    flags: ({ permission }) => ["--acp", "--skip-trust", ...approvals[permission]],
    // Otherwise it starts itself a second time, to have more memory, and takes twice as long.
    // It can load a conversation, but not within the minute in which that began: it would overwrite it.
    forgets: true,
    env: { GEMINI_CLI_NO_RELAUNCH: "true" },
  });
