/** The tree of a Markdown text, as far as the page looks into it. */

interface Point {
  line: number;
  column: number;
  offset: number;
}

export interface Piece {
  type: string;
  value?: string;
  children?: Piece[];
  position?: { start: Point; end: Point };
  data?: unknown;
  url?: string;
  identifier?: string;
  depth?: number;
  lang?: string | null;
  meta?: string | null;
  ordered?: boolean | null;
  spread?: boolean | null;
  checked?: boolean | null;
  align?: unknown[];
}

export const asText = (value: string): Piece => ({ type: "text", value });

/** What was written where it is. */
export const sourceOf = ({ position }: Piece, source: string): string =>
  source.slice(position!.start.offset, position!.end.offset);

/** Whether a link to it is one that the page opens. */
export const isLive = (url: string | undefined) => /^(https?:|mailto:)/i.test(url ?? "");
