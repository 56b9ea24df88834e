/** A button that is only an icon: its words are for whoever points at it, or cannot see it. On a phone they stand below it. */
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  icon: IconName;
  label: string;
  /** Where the name alone says too little. */
  title?: string;
  /** Of its words those that fit below the icon on a phone. */
  short?: string;
  hotkey?: string;
  pressed?: boolean;
  onClick(): void;
}

export const IconButton = ({
  icon,
  label,
  title = label,
  short = label,
  hotkey,
  pressed,
  onClick,
}: Props) => (
  <button
    type="button"
    class="icon-button"
    aria-label={label}
    aria-pressed={pressed}
    title={hotkey === undefined ? title : `${title} (${hotkey})`}
    onClick={onClick}
  >
    <Icon name={icon} />
    <span class="icon-label" aria-hidden="true">
      {short}
    </span>
  </button>
);
