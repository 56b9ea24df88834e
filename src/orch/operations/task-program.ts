/** The program of a task, by its profile as it is now. */
import type { TaskRow } from "../../bus/task.ts";
import { blank, ownCall, phrase } from "../../contract/phrase.ts";
import type { Profile } from "../profiles/profile.ts";
import { runnerFor } from "../runners/index.ts";
import { profilesAt, type Workplace } from "./place.ts";

/** The profile as it is now; undefined if it is gone or contains a mistake. */
export function profileOf(place: Workplace, { profile }: TaskRow): Profile | undefined {
  const { all } = profilesAt(place).profiles;
  return profile === null ? undefined : all.get(profile);
}

/** [A4] Whether its session can get another message. */
export function goesOn(place: Workplace, row: TaskRow): boolean {
  const profile = profileOf(place, row);
  return row.session !== null && profile !== undefined && runnerFor(profile.runner).resumes;
}

/** What the caller can do if it cannot. */
export const startAnother = phrase`start a new sub-agent: ${ownCall("tasks.assign", { message: blank("…") })}`;
