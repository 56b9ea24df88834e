/** Whether there is room for one column only. */
export const narrow = matchMedia("(max-width: 720px)");
