/** Artifacts as they are stored. */
import type { Artifact, ArtifactInput } from "../contract/artifact.ts";
import { idOf } from "../contract/ids.ts";
import { asking } from "../sql/asking.ts";
import type { Procedure } from "../sql/procedure.ts";
import { all, known, one } from "../sql/procedure.ts";
import { alike, joined, sql } from "../sql/sql.ts";
import { columnsOf, insert, type RowOf } from "../sql/table.ts";
import { artifacts } from "../sql/tables.ts";

export type ArtifactRow = RowOf<typeof artifacts>;
export const artifactColumns = columnsOf(artifacts);

const artifactView = (row: ArtifactRow): Artifact => ({
  artifactId: idOf("artifact", row.artifact_id),
  path: row.path,
  kind: row.kind,
  metadata: JSON.parse(row.metadata_json),
});

export function attach(
  message: number,
  attached: readonly ArtifactInput[],
  now: string,
): Procedure<Artifact[]> {
  if (!attached.length) return known([]);
  return attachAll(message, attached, now);
}

function* attachAll(message: number, attached: readonly ArtifactInput[], now: string): Procedure<Artifact[]> {
  const views: Artifact[] = [];
  for (const { path, kind, metadata } of attached) {
    const metadata_json = JSON.stringify(metadata);
    const fresh = { message_id: message, path, kind, metadata_json, created_at: now };
    const made = yield* one<Pick<ArtifactRow, "artifact_id">>(
      sql`${insert(artifacts, fresh)} returning artifact_id`,
    );
    views.push(artifactView({ ...fresh, ...made! }));
  }
  return views;
}

/** The artifacts of several messages, by message. */
export function* artifactsOf(messages: readonly number[]): Procedure<Map<number, Artifact[]>> {
  const found = new Map<number, Artifact[]>();
  for (let from = 0; from < messages.length; from += 500) {
    const rows = yield* all<ArtifactRow>(sql`
      select ${artifactColumns} from artifacts where artifacts.message_id in (${joined(messages.slice(from, from + 500))})
      order by artifacts.artifact_id`);
    addTo(found, rows);
  }
  return found;
}

/** Those of all messages of a thread. */
export const artifactsIn = (thread: number): Procedure<Map<number, Artifact[]>> =>
  asking(
    alike(sql`
      select ${artifactColumns} from artifacts where artifacts.message_id in (
        select messages.message_id from messages where messages.thread_id = ${thread}) order by artifacts.artifact_id`),
    (rows) => byMessage(rows as ArtifactRow[]),
  );

export const byMessage = (rows: readonly ArtifactRow[]) => addTo(new Map(), rows);

function addTo(found: Map<number, Artifact[]>, rows: readonly ArtifactRow[]): Map<number, Artifact[]> {
  for (const row of rows) {
    const views = found.get(row.message_id) ?? [];
    views.push(artifactView(row));
    found.set(row.message_id, views);
  }
  return found;
}
