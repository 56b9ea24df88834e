/** Bars as an SVG that is readable on a light and on a dark page. */
export interface Bars {
  heading: string;
  bars: { name: string; value: number; met: boolean }[];
}

const width = 960;
const names = 560;
const row = 20;

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]!);

export function drawn(groups: readonly Bars[]): string {
  const parts: string[] = [];
  let y = 10;
  for (const { heading, bars } of groups.filter((group) => group.bars.length)) {
    y += row;
    parts.push(`<text x="10" y="${y}" font-weight="bold">${escaped(heading)}</text>`);
    const most = Math.max(...bars.map(({ value }) => value), 1);
    const scale = (width - names - 80) / most;
    const top = y + 6;
    for (const { name, value, met } of bars) {
      y += row;
      const length = Math.max(1, value * scale).toFixed(1);
      parts.push(
        `<text x="${names - 8}" y="${y}" text-anchor="end">${escaped(name)}</text>`,
        `<rect x="${names}" y="${y - 12}" width="${length}" height="14" fill="${met ? "#3a8f5c" : "#b8763a"}"/>`,
        `<text x="${(names + Number(length) + 6).toFixed(1)}" y="${y}">${value} ×</text>`,
      );
    }
    const one = (names + scale).toFixed(1);
    parts.push(
      `<line x1="${one}" x2="${one}" y1="${top}" y2="${y + 4}" stroke="#888" stroke-dasharray="3 3"/>`,
    );
    y += row;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 10}" font-family="sans-serif" font-size="11" fill="#777">
${parts.join("\n")}
</svg>
`;
}
