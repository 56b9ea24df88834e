/** How the answers of a noun's operations are said: one function an operation. */
import type { OperationName, OutputOf } from "../../contract/operations/index.ts";
import type { Paint } from "./paint.ts";

export type Render<N extends OperationName> = (output: OutputOf<N>, paint: Paint) => string;

/** The noun is the first word of an operation's name; its texts are in `render-NOUN.ts`. */
export type NounRenders<Noun extends string> = {
  [N in Extract<OperationName, `${Noun}.${string}`>]: Render<N>;
};
