/** An artifact: a path attached to a message. The bus stores the reference, never the file. */
import * as v from "valibot";
import { described, json, name, text } from "./fields.ts";

export const artifactInput = () =>
  v.strictObject({
    path: text("the file's path", { limit: 4096 }),
    kind: v.optional(name("what the file is"), "file"),
    metadata: v.optional(json("metadata, a JSON object"), {}),
  });

/** The field `artifacts`; on the command line `--artifact`, `--artifact-kind`, `--artifact-metadata-json`. */
export const artifacts = () =>
  v.optional(
    described(
      v.pipe(
        v.array(artifactInput(), "must be a list of artifacts"),
        v.maxLength(100, "must have at most 100 artifacts"),
      ),
      {
        type: "artifacts",
        flag: "artifact",
        value: "PATH",
        help: "a file to attach by path; may be repeated",
      },
    ),
    [],
  );

export const artifact = () =>
  v.strictObject({
    artifactId: v.string(),
    path: v.string(),
    kind: v.string(),
    metadata: v.record(v.string(), v.unknown()),
  });

export type ArtifactInput = v.InferOutput<ReturnType<typeof artifactInput>>;
export type Artifact = v.InferOutput<ReturnType<typeof artifact>>;
