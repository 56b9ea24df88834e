/**
 * An error for people: what was asked, what the problem is, what to do. It may repeat an argument, which can be
 * anybody's text.
 */
import type { ErrorShape } from "../../contract/errors.ts";
import type { Paint } from "./paint.ts";
import { setIn } from "./safe.ts";

export const refusalText = ({ code, message, hint }: ErrorShape, paint: Paint): string =>
  `${paint.red("error")} ${setIn(message, 6)} ${paint.dim(`(${code})`)}\n${paint.dim("hint")}  ${setIn(hint, 6)}\n`;
