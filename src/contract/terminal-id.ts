/** [C9] Who is calling, by the environment. Where an agent is called a terminal, its scripts set and read CAO_TERMINAL_ID. */
export const agentIn = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env.INBOX_AGENT || env.CAO_TERMINAL_ID || undefined;
