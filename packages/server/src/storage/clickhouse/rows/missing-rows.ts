/** The step rows (JSONEachRow) that are not in `there`, which contains `<trace id> <position> <version>`. */
export function missingSteps(rows: Buffer, there: ReadonlySet<string>): Buffer {
  const missing = splitRows(rows).filter((row) => {
    const { trace_id, position, ver } = JSON.parse(row.toString()) as {
      trace_id: string
      position: number
      ver: number
    }
    return !there.has(`${trace_id} ${position} ${ver}`)
  })
  return Buffer.concat(missing)
}

/** The rows of metric events whose ids are not in `there`. */
export function missingMetricEvents(rows: Buffer, there: ReadonlySet<string>): Buffer {
  return Buffer.concat(splitRows(rows).filter((row) => !there.has((JSON.parse(row.toString()) as { id: string }).id)))
}

/** The latest row of each trace, unless `there` has that version or a newer one. */
export function missingTraces(rows: Buffer, there: ReadonlyMap<string, number>): Buffer {
  const newest = new Map<string, { readonly version: number; readonly row: Buffer }>()
  for (const row of splitRows(rows)) {
    const { id, ver } = JSON.parse(row.toString()) as { id: string; ver: number }
    if (ver > (newest.get(id)?.version ?? there.get(id) ?? 0)) newest.set(id, { version: ver, row })
  }
  return Buffer.concat([...newest.values()].map(({ row }) => row))
}

const LINE_END = 0x0a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * Rows with their line ends. A client's bytes within a row may also contain line ends, as white space of JSON. But JSON
 * has a comma between a closing and an opening brace, so a bare line end there ends a row.
 */
function splitRows(rows: Buffer): Buffer[] {
  const found: Buffer[] = []
  let start = 0
  for (let at = rows.indexOf(LINE_END); at >= 0; at = rows.indexOf(LINE_END, at + 1)) {
    if (rows[at - 1] !== CLOSE_BRACE || (at + 1 < rows.length && rows[at + 1] !== OPEN_BRACE)) continue
    found.push(rows.subarray(start, at + 1))
    start = at + 1
  }
  if (start < rows.length) throw new Error('rows must end with a line end')
  return found
}
