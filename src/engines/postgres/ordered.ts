/** Whether a statement has an `order by` for its rows. One within parentheses applies only to the inner query. */
export function isOrdered(text: string): boolean {
  const outside = text.replace(/'[^']*'/g, "''");
  let flat = outside;
  for (let before = ""; before !== flat; ) {
    before = flat;
    flat = flat.replace(/\([^()]*\)/g, "");
  }
  return /\border by\b/i.test(flat);
}
