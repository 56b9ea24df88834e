import { version as ours } from "../package.json" with { type: "json" };

export const version: string = ours;

/** Both programs belong to one product: `inbox (Restante) 0.1.0`. */
export const versionLine = (program: string) => `${program} (Restante) ${version}\n`;
