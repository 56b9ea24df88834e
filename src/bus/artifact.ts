/** Artifacts as they are stored. */
import type { Artifact, ArtifactInput } from "../contract/artifact.ts";
import { idOf } from "../contract/ids.ts";
import type { Procedure } from "../sql/procedure.ts";
import { all, one } from "../sql/procedure.ts";
import { joined, sql } from "../sql/sql.ts";

interface ArtifactRow {
  artifact_id: number;
  message_id: number;
  path: string;
  kind: string;
  metadata_json: string;
}

const artifactView = (row: ArtifactRow): Artifact => ({
  artifactId: idOf("artifact", row.artifact_id),
  path: row.path,
  kind: row.kind,
  metadata: JSON.parse(row.metadata_json),
});

export function* attach(
  message: number,
  artifacts: readonly ArtifactInput[],
  now: string,
): Procedure<Artifact[]> {
  const views: Artifact[] = [];
  for (const { path, kind, metadata } of artifacts) {
    const row = yield* one<ArtifactRow>(sql`
      insert into artifacts (message_id, path, kind, metadata_json, created_at)
      values (${message}, ${path}, ${kind}, ${JSON.stringify(metadata)}, ${now})
      returning artifact_id, message_id, path, kind, metadata_json`);
    views.push(artifactView(row!));
  }
  return views;
}

/** The artifacts of several messages, by message. */
export function* artifactsOf(messages: readonly number[]): Procedure<Map<number, Artifact[]>> {
  const byMessage = new Map<number, Artifact[]>();
  for (let from = 0; from < messages.length; from += 500) {
    const rows = yield* all<ArtifactRow>(sql`
      select artifacts.artifact_id, artifacts.message_id, artifacts.path, artifacts.kind, artifacts.metadata_json
      from artifacts where artifacts.message_id in (${joined(messages.slice(from, from + 500))})
      order by artifacts.artifact_id`);
    for (const row of rows) {
      const views = byMessage.get(row.message_id) ?? [];
      views.push(artifactView(row));
      byMessage.set(row.message_id, views);
    }
  }
  return byMessage;
}
