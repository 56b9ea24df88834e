/** A link to a place in the page. With a modifier key the browser does what it always does: a new tab, a new window. */
import type { ComponentChildren } from "preact";
import { go, type Place, pathOf } from "../router.ts";

interface Props {
  to: Place;
  class: string;
  current?: "page" | "true";
  title?: string;
  /** Instead of going there. */
  onClick?(event: MouseEvent): void;
  children: ComponentChildren;
}

export const PlaceLink = ({ to, current, onClick = () => go(to), children, ...rest }: Props) => (
  <a
    {...rest}
    href={pathOf(to)}
    aria-current={current}
    onClick={(event) => {
      if (event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      onClick(event);
    }}
  >
    {children}
  </a>
);
