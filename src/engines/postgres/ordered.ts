/** Whether a statement says in which order its rows come. An `order by` within parentheses orders what is within. */
export function isOrdered(text: string): boolean {
  const outside = text.replace(/'[^']*'/g, "''");
  let flat = outside;
  for (let before = ""; before !== flat; ) {
    before = flat;
    flat = flat.replace(/\([^()]*\)/g, "");
  }
  return /\border by\b/i.test(flat);
}
