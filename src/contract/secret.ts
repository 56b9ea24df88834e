/** An address as people may see it. A password may hold anything, also what should have been encoded: all up to the last @ goes. */
export const withoutPassword = (address: string) =>
  address.replace(/^(\s*(?:[a-z]+:\/\/)?[^:@/?]*):.*@/is, "$1@");
