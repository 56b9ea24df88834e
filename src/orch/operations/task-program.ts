/** The program of a task, as its profile has it now. */
import type { TaskRow } from "../../bus/task.ts";
import { blank, call, phrase } from "../../contract/phrase.ts";
import type { Profile } from "../profiles/profile.ts";
import { runnerFor } from "../runners/index.ts";
import { profilesAt, type Workplace } from "./place.ts";

/** What its profile says now; nothing where it is gone or holds a mistake. */
export function profileOf(place: Workplace, { profile }: TaskRow): Profile | undefined {
  const { all } = profilesAt(place).profiles;
  return profile === null ? undefined : all.get(profile);
}

/** [A4] Whether its session can be told something more. */
export function goesOn(place: Workplace, row: TaskRow): boolean {
  const profile = profileOf(place, row);
  return row.session !== null && profile !== undefined && runnerFor(profile.runner).resumes;
}

/** What is left to do where it cannot. */
export const startAnother = phrase`start a new sub-agent: ${call("tasks.assign", { message: blank("…") })}`;
