import { open } from 'node:fs/promises'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { OperatorError } from '../../../lib/operator-error.ts'

/** The rows of a file of Apache Parquet, one row group after the other. Times are texts, integers numbers. */
export async function* readParquet(path: string): AsyncGenerator<Record<string, unknown>> {
  // Only these imports need the library.
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet')
  const handle = await open(path)
  try {
    const { size: byteLength } = await handle.stat()
    const file = {
      byteLength,
      async slice(start: number, end = byteLength): Promise<ArrayBuffer> {
        const bytes = new ArrayBuffer(Math.max(0, end - start))
        await handle.read(new Uint8Array(bytes), 0, bytes.byteLength, start)
        return bytes
      },
    }
    const compressors = {
      GZIP: (bytes: Uint8Array) => new Uint8Array(gunzipSync(bytes)),
      ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)),
    }
    const metadata = await parquetMetadataAsync(file)
    let rowStart = 0
    for (const { num_rows: rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(rows)
      yield* (await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors })).map(plainRow)
      rowStart = rowEnd
    }
  } catch (error) {
    if (!(error instanceof Error) || 'syscall' in error) throw error
    throw new OperatorError(`${path} cannot be read as Parquet: ${error.message}.`, { cause: error })
  } finally {
    await handle.close()
  }
}

function plainRow(row: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  ) as Record<string, unknown>
}
