/** An address as people may see it. A password may hold anything, also what should have been encoded: all up to the last @ goes. */
export const withoutPassword = (address: string) =>
  (/^\s*https?:\/\//i.test(address) ? ofHub(address) : ofServer(address)).replace(
    /([?&](?:ssl)?pass(?:word)?=)[^&]*/gi,
    "$1***",
  );

/** The scheme is no user, also where there is no password. */
const ofServer = (address: string) =>
  address.replace(/^(\s*(?:[a-z]+:\/\/|(?![a-z]+:\/\/))[^:@/?]*):.*@/is, "$1@");

/** The name alone may be a secret here. What follows a colon is a port, or else the beginning of a password. */
const ofHub = (address: string) =>
  address.replace(/^(\s*https?:\/\/)(?:[^:/?#@]*:(?!\d+(?:[/?#]|$)).*|[^/?#]*)@/is, "$1***@");

/** A text for people, whatever addresses others have put into it. */
export const withoutPasswords = (text: string) =>
  text.includes("://") ? text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*@/gi, withoutPassword) : text;

/** [X15] A token as it is made (platform/token-text.ts), wherever it stands in a text. */
const token = /\brst_[A-Za-z0-9_-]{16,}/g;

/** A text as it may be kept or shown: whoever reads it must not become whoever a token in it speaks for. */
export const withoutTokens = (text: string) => (text.includes("rst_") ? text.replace(token, "rst_…") : text);

/** The end of a text in which a token may have begun, for those that have it piece by piece. */
export const begunToken = (text: string): string => /\brst_[A-Za-z0-9_-]*$/.exec(text)?.[0] ?? "";
