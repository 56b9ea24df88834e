/** What an agent wrote must not steer a person's terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
export const safe = (text: string) => text.replace(control, "\ufffd");

/** One line of at most so many characters. */
export const cut = (text: string, most: number) => {
  const line = safe(text).replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
};
