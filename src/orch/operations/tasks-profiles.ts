/** [Q8] Which profiles there are. */
import type { OutputOf } from "../../contract/operations/index.ts";
import { sizeOf } from "../../platform/system.ts";
import { describeProfiles } from "../profiles/profile-list.ts";
import { profilesAt, type Workplace } from "./place.ts";

export function listProfiles(place: Workplace): OutputOf<"tasks.profiles"> {
  const { file, profiles } = profilesAt(place);
  const there = sizeOf(file) > 0;
  return {
    file: there ? file : null,
    default: profiles.default,
    profiles: describeProfiles(profiles, process.env.PATH ?? ""),
  };
}
