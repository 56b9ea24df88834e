/** Who it is, at a glance: letters on a colour that follows from the name. */
const hue = (name: string) => {
  let sum = 7;
  for (const char of name) sum = (sum * 31 + char.codePointAt(0)!) % 360;
  return sum;
};

const letters = (name: string) => {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return ((words[0]?.[0] ?? "?") + (words[1]?.[0] ?? "")).toUpperCase();
};

export const Face = ({ name, large = false }: { name: string; large?: boolean }) => (
  <span class="face" data-large={large} aria-hidden="true" style={{ "--hue": String(hue(name)) }}>
    {letters(name)}
  </span>
);
