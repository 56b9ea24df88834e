/** How the answers of a noun's operations are shown: one function per operation. */
import type { OperationName, OutputOf } from "../../contract/operations/index.ts";
import type { Text } from "../../contract/phrase.ts";
import type { Paint } from "./paint.ts";

/** An answer in two parts: `text`, which a script reads, goes to standard output, and `aside` to standard error. */
export interface Apart {
  text: string;
  aside: string;
}

/** `spell` writes references to operations and fields as the reader's surface does. */
export type Render<N extends OperationName> = (
  output: OutputOf<N>,
  paint: Paint,
  spell: (text: Text) => string,
) => string | Apart;

/** The noun is the first word of an operation's name; its texts are in `render-NOUN.ts`. */
export type NounRenders<Noun extends string> = {
  [N in Extract<OperationName, `${Noun}.${string}`>]: Render<N>;
};
