import { parquetWriteBuffer } from 'hyparquet-writer'

/** Rows as a file of Parquet: names that end in `_time` are times, numbers doubles, objects JSON in columns of text. */
export function toParquet(rows: readonly Readonly<Record<string, unknown>>[]): Buffer {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columnData = names.map((name) => {
    const data = rows.map((row) => row[name] ?? null)
    if (name.endsWith('_time')) {
      return { name, data: data.map((value) => new Date(`${String(value)}Z`)), type: 'TIMESTAMP' as const }
    }
    if (data.some((value) => typeof value === 'number')) return { name, data, type: 'DOUBLE' as const }
    if (data.some((value) => typeof value === 'boolean')) return { name, data, type: 'BOOLEAN' as const }
    const texts = data.map((value) => (value === null || typeof value === 'string' ? value : JSON.stringify(value)))
    return { name, data: texts, type: 'STRING' as const }
  })
  return Buffer.from(parquetWriteBuffer({ columnData }))
}
