/** What an agent wrote must not steer a person's terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
export const safe = (text: string) => text.replace(control, "\ufffd");

/** All in one line, so that nothing in it can pass for a line of ours. */
export const oneLine = (text: string) => safe(text).replace(/\s+/g, " ");

/** One line of at most so many characters. */
export const cut = (text: string, most: number) => {
  const line = oneLine(text);
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
};
