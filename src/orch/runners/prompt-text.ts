import type { Job } from "./runner.ts";

/** The prompt of a program that takes no separate instructions. A resumed conversation has had them. */
export const toldTo = ({ instructions, prompt, session }: Job) =>
  instructions === null || session !== undefined ? prompt : `${instructions}\n\n${prompt}`;
