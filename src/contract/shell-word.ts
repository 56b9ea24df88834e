/** A word as a POSIX shell has to be given it: as it is where that is harmless, else in quotes. */
export const shellWord = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
