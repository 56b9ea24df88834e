/** Runs the work at once; whatever asks for it meanwhile is served by one more run, also when the first has failed. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again = false;
  const run = async () => {
    let failed: { error: unknown } | undefined;
    do {
      again = false;
      failed = undefined;
      try {
        await work();
      } catch (error) {
        failed = { error };
      }
    } while (again);
    // Here and not later: who asks between the last look and the end of the promise must not be forgotten.
    running = undefined;
    if (failed) throw failed.error;
  };
  return () => {
    again = true;
    running ??= run();
    return running;
  };
}
