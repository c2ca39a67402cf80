/** Submissions as a Parquet file: a column per property, and one column with the data as JSON. */
import { fileWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import type { ChangesPart } from "./changes.ts";

/** A submission as the API returns it; a deleted one has only `id` and `deletedAt`. */
type Line = Record<string, unknown> & {
  submitter?: { type: string; id: string };
  review?: { decision: string; reason: string | null; at: string } | null;
};

const instant = (value: unknown): Date | null => (typeof value === "string" ? new Date(value) : null);

/** Columns by name: the type, and the value for a line. */
const columns = {
  id: ["STRING", ({ id }: Line) => id],
  status: ["STRING", ({ status }: Line) => status],
  formVersion: ["INT32", ({ formVersion }: Line) => formVersion],
  submitterType: ["STRING", ({ submitter }: Line) => submitter?.type],
  submitterId: ["STRING", ({ submitter }: Line) => submitter?.id],
  respondentId: ["STRING", ({ respondentId }: Line) => respondentId],
  provenance: ["STRING", ({ provenance }: Line) => provenance],
  declaredAgent: ["STRING", ({ declaredAgent }: Line) => declaredAgent],
  reviewDecision: ["STRING", ({ review }: Line) => review?.decision],
  reviewReason: ["STRING", ({ review }: Line) => review?.reason],
  reviewedAt: ["TIMESTAMP", ({ review }: Line) => instant(review?.at)],
  createdAt: ["TIMESTAMP", ({ createdAt }: Line) => instant(createdAt)],
  updatedAt: ["TIMESTAMP", ({ updatedAt }: Line) => instant(updatedAt)],
  deletedAt: ["TIMESTAMP", ({ deletedAt }: Line) => instant(deletedAt)],
  metadata: ["STRING", ({ metadata }: Line) => metadata && JSON.stringify(metadata)],
  data: ["STRING", ({ data }: Line) => data && JSON.stringify(data)],
} as const;

const columnData = (lines: readonly Line[]) =>
  Object.entries(columns).map(([name, [type, read]]) => ({
    name,
    type,
    nullable: true,
    data: lines.map((line) => read(line) ?? null),
  }));

/** Writes the parts to a file that exists and is empty, each as a group of rows. */
export async function writeParquet(path: string, parts: AsyncIterable<ChangesPart>): Promise<void> {
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: schemaFromColumnData({ columnData: columnData([]) }),
  });
  for await (const { lines } of parts) {
    const rows = lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
    if (rows.length > 0) writer.write({ columnData: columnData(rows), rowGroupSize: rows.length });
  }
  writer.finish();
}
