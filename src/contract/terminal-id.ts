/** [C9] The caller's name in the environment. Scripts of a system that calls an agent a terminal set and read CAO_TERMINAL_ID. */
export const agentIn = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env.INBOX_AGENT || env.CAO_TERMINAL_ID || undefined;
