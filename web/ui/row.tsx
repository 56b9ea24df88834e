/** One row of a list: a link to what it stands for. */
import type { ComponentChildren } from "preact";
import type { Place } from "../router.ts";
import { PlaceLink } from "./place-link.tsx";

interface Props {
  to: Place;
  open: boolean;
  /** A face or an icon. */
  lead: ComponentChildren;
  title: string;
  /** The second line. */
  more?: ComponentChildren;
  /** On the right. */
  side?: ComponentChildren;
  /** One line high. */
  low?: boolean;
  /** The title is drawn strong in every state. */
  strong?: boolean;
  /** How far below others in a tree. */
  depth?: number;
  onClick?(event: MouseEvent): void;
}

export const RowLink = ({ to, open, lead, title, more, side, low, strong = true, onClick }: Props) => (
  <PlaceLink
    to={to}
    class={low ? "row-link low" : "row-link"}
    current={open ? "true" : undefined}
    onClick={onClick}
  >
    {lead}
    <span class="row-text">
      <span class={strong ? "row-title strong" : "row-title"}>{title}</span>
      {more && <span class="row-more">{more}</span>}
    </span>
    {side && <span class="row-time">{side}</span>}
  </PlaceLink>
);

export const Row = (props: Props) => (
  <div class="row" data-open={props.open} data-depth={props.depth && Math.min(3, props.depth)}>
    <RowLink {...props} />
  </div>
);
