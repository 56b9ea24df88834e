/** A button that is only an icon: its words are for whoever points at it, or cannot see it. */
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  icon: IconName;
  label: string;
  /** Where the name alone says too little. */
  title?: string;
  hotkey?: string;
  pressed?: boolean;
  onClick(): void;
}

export const IconButton = ({ icon, label, title = label, hotkey, pressed, onClick }: Props) => (
  <button
    type="button"
    class="icon-button"
    aria-label={label}
    aria-pressed={pressed}
    title={hotkey === undefined ? title : `${title} (${hotkey})`}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
);
