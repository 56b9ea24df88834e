import { InboxError } from "../../src/contract/errors.ts";

/** The error a call was refused with; a call that succeeds, or fails otherwise, fails the test. */
export async function refusal(call: Promise<unknown>): Promise<InboxError> {
  try {
    const value = await call;
    throw new Error(`expected a refusal, got ${JSON.stringify(value)}`);
  } catch (error) {
    if (error instanceof InboxError) return error;
    throw error;
  }
}
