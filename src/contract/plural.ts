/** `1 message`, `2 messages`: a number with its noun. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
