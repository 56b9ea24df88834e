import type { Job } from "./runner.ts";

/** What a program is told that has no place of its own for instructions. A conversation that goes on has had them. */
export const toldTo = ({ instructions, prompt, session }: Job) =>
  instructions === null || session !== undefined ? prompt : `${instructions}\n\n${prompt}`;
