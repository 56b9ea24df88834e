/** The reason of an abort that ends a wait as its timeout would: the answer is still wanted, but now. */
export const endOfWait = Symbol("end of wait");
