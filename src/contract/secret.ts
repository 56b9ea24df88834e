/**
 * An address that may be shown to people. A password may contain anything, also characters that should have been
 * encoded: everything up to the last @ is removed.
 */
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

/** A text for people, without the passwords of addresses in it. */
export const withoutPasswords = (text: string) =>
  text.includes("://") ? text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*@/gi, withoutPassword) : text;

/** [X15] A token (platform/token-text.ts), anywhere in a text. */
const token = /\brst_[A-Za-z0-9_-]{16,}/g;

/** A text that may be kept or shown: a reader must not be able to act with a token in it. */
export const withoutTokens = (text: string) => (text.includes("rst_") ? text.replace(token, "rst_…") : text);

/** The end of a text that may be the beginning of a token, for text that comes in pieces. */
export const begunToken = (text: string): string => /\brst_[A-Za-z0-9_-]*$/.exec(text)?.[0] ?? "";
