/** An address as people may see it. A password may hold anything, also what should have been encoded: all up to the last @ goes. */
export const withoutPassword = (address: string) =>
  address
    // The scheme is no user, also where there is no password.
    .replace(/^(\s*(?:[a-z]+:\/\/|(?![a-z]+:\/\/))[^:@/?]*):.*@/is, "$1@")
    .replace(/([?&](?:ssl)?pass(?:word)?=)[^&]*/gi, "$1***");
