/** A word as a shell has to be given it, in quotes where it needs them. */
export const shellWord = (word: string) =>
  /^[\w./:@,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
