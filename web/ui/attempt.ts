/** Does what was asked, and says it when the hub refuses. Answers whether it worked. */
import { problemOf } from "../data/api.ts";
import { say } from "./toasts.tsx";

export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work();
    if (done) say({ text: done });
    return true;
  } catch (error) {
    const { message, hint } = problemOf(error);
    say({ text: message, detail: hint, tone: "bad" });
    return false;
  }
}
