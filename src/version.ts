import { version as ours } from "../package.json" with { type: "json" };

export const version: string = ours;
