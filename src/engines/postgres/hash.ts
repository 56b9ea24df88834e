/** FNV-1a, 32 bits: numbers for names that all processes agree on. Two names with one number cost a wait, or a look too many. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
