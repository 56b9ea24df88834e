/** A row whose reply was begun and not sent. */
import { draftOf } from "../data/drafts.ts";

export const DraftTag = ({ name }: { name: string }) =>
  draftOf(name) ? (
    <span class="tag" data-tone="accent">
      draft
    </span>
  ) : null;
