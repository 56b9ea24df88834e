/**
 * An address as people may see it. A password may hold anything, also what should have been encoded: all up to the last @
 * goes. At a hub's address the name alone may be a secret.
 */
export const withoutPassword = (address: string) =>
  address
    .replace(/^(\s*https?:\/\/)(?:[^/?#]*|[^:/?#]*:.*)@/is, "$1***@")
    // The scheme is no user, also where there is no password.
    .replace(/^(\s*(?:[a-z]+:\/\/|(?![a-z]+:\/\/))[^:@/?]*):.*@/is, "$1@")
    .replace(/([?&](?:ssl)?pass(?:word)?=)[^&]*/gi, "$1***");

/** A text for people, whatever addresses others have put into it. */
export const withoutPasswords = (text: string) =>
  text.includes("://") ? text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*@/gi, withoutPassword) : text;
