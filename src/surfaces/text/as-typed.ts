/** [Q13] A command as it is typed where the answer is read: in the shell of slash commands it begins with one. */
export const asTyped = (command: string) =>
  process.env.INBOX_SHELL ? command.replace(/^(?:inbox|orch) /, "/") : command;
