import type { TraceId } from '@spoor/contract/ids'
import { rowOf, zeroMatrix } from '@spoor/clustering/matrix'
import type { TraceEmbeddings } from './embedder.ts'

export interface PointSource {
  readonly columns: number
  /** Stored data of the traces; undefined for those without any. */
  readonly read: (traceIds: readonly TraceId[]) => Promise<readonly (Uint8Array | undefined)[]>
  /** Writes into a row of zeros. Returns false, and writes nothing, when the data is unusable. */
  readonly write: (bytes: Uint8Array, row: Float32Array) => boolean
}

const READ_TOGETHER = 500

/** A row for each trace with usable data, in their order. */
export async function gatherPoints(
  { columns, read, write }: PointSource,
  traceIds: readonly TraceId[],
  onShare: (share: number) => void = () => undefined,
): Promise<TraceEmbeddings> {
  const points = zeroMatrix(traceIds.length, columns)
  const places = new Uint32Array(traceIds.length)
  let rows = 0
  for (let from = 0; from < traceIds.length; from += READ_TOGETHER) {
    onShare(from / traceIds.length)
    for (const [index, bytes] of (await read(traceIds.slice(from, from + READ_TOGETHER))).entries()) {
      if (bytes !== undefined && write(bytes, rowOf(points, rows))) places[rows++] = from + index
    }
  }
  return {
    points: { ...points, rows, values: points.values.subarray(0, rows * columns) },
    traceIds: rows === traceIds.length ? traceIds : Array.from(places.subarray(0, rows), (place) => traceIds[place]!),
    places: places.subarray(0, rows),
  }
}
