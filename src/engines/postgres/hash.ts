/** FNV-1a, 32 bits: the same number for a name in all processes. Two names with the same number cost an unneeded wait or query. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
