/** A button that looks like a link. */
import type { ComponentChildren } from "preact";

export const LinkButton = ({ onClick, children }: { onClick(): void; children: ComponentChildren }) => (
  <button type="button" class="link" onClick={onClick}>
    {children}
  </button>
);
