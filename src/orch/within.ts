/** The value of a promise, or another value once the time is over. */
export function within<T>(promise: Promise<T>, ms: number, otherwise: T): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
