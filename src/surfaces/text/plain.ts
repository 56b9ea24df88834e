/** Text of others, made fit for a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what an agent wrote must not steer a person's terminal
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
export const safe = (text: string) => text.replace(control, "\ufffd");

/** As one line, of at most so many characters. */
export const cut = (text: string, most: number) => {
  const line = safe(text).replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
};
