/** The lock under which entries are added, so that they become visible in the order of their numbers ([G2]). */
export const entryOrder = "entries";
