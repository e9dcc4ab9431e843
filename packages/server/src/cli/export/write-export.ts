import { isId, type TraceId } from '@spoor/contract/ids'
import { timeOfId } from '../../lib/ids/ids.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { ExportOptions } from './export-options.ts'
import type { Sink } from './part-file.ts'
import { LAST_LINE } from './part-files.ts'
import { BrokenExport, requestExport } from './request-export.ts'

/** How far an export is. */
export interface ExportProgress {
  /** Of jsonl; 0 for other formats until they are complete. */
  rows: number
  bytes: number
  /** The last row of jsonl, as a line. */
  last: string | null
  /** Why the last attempt broke off; null before the first. */
  reason: string | null
}

/**
 * One attempt: writes what is not written yet. Throws BrokenExport if it can be tried again, and OperatorError if it
 * cannot.
 */
export async function writeExport(options: ExportOptions, sink: Sink, progress: ExportProgress): Promise<void> {
  const { what, format, parameters, url, key } = options
  const isContinued = format === 'jsonl' && progress.last !== null
  if (!isContinued) {
    if (!sink.restart())
      throw new OperatorError(`The export broke off: ${progress.reason}. As ${format}, only a file can begin again.`)
    Object.assign(progress, { rows: 0, bytes: 0 })
  }
  const query = new URLSearchParams([['what', what], ['format', format], ...parameters])
  const endTime = progress.last === null ? null : endAfter(options, progress.last)
  if (endTime !== null) query.set('end_time', endTime)
  const answer = await requestExport(`${url}/v1/export?${query.toString()}`, key)
  const bytes = brokenAware(answer)
  if (format === 'jsonl') return writeLines(bytes, sink, progress)
  for await (const chunk of bytes) {
    await sink.write(chunk)
    progress.bytes += chunk.length
  }
  const rows = answer.trailers['x-export-rows']
  if (!answer.complete || rows === undefined || rows === '') throw new BrokenExport('the answer ended early')
  progress.rows = Number(rows)
}

async function* brokenAware(answer: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of answer) yield chunk as Buffer
  } catch (error) {
    throw new BrokenExport(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

async function writeLines(bytes: AsyncIterable<Buffer>, sink: Sink, progress: ExportProgress): Promise<void> {
  /** The row behind which new rows begin. */
  let behind = progress.last === null ? null : idOf(progress.last)
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(10) + 1
    if (end === 0) {
      rest = Buffer.concat([rest, chunk])
      continue
    }
    const lines = Buffer.concat([rest, chunk.subarray(0, end)])
      .toString()
      .split('\n')
      .slice(0, -1)
    rest = chunk.subarray(end)
    const isLast = lines.at(-1)?.startsWith(LAST_LINE) === true
    let rows = isLast ? lines.slice(0, -1) : lines
    if (behind !== null) {
      const found = rows.findIndex((line) => idOf(line) === behind)
      rows = found === -1 ? [] : rows.slice(found + 1)
      if (found !== -1) behind = null
    }
    const last = rows.at(-1)
    if (last !== undefined) {
      const text = Buffer.from(`${rows.join('\n')}\n`)
      await sink.write(text)
      progress.rows += rows.length
      progress.bytes += text.length
      progress.last = last
    }
    if (!isLast) continue
    if (behind !== null) {
      throw new OperatorError('The export cannot go on: its last row is not in the list any more. Begin a new one.')
    }
    return sink.write(Buffer.from(`${LAST_LINE}${progress.rows}}\n`))
  }
  throw new BrokenExport('the answer ended early')
}

/** Names a row, a part of a run also by its place; points of a series are as a whole. */
function idOf(line: string): string {
  const { id, from } = JSON.parse(line) as { id?: string; from?: number }
  if (id === undefined) return line
  return from === undefined ? id : `${id} ${from}`
}

/**
 * An end of the range that leaves out rows before this one, where the list is by time: so that going on does not read
 * them again. Null where it cannot be known.
 */
function endAfter({ what, parameters }: ExportOptions, line: string): string | null {
  if (parameters.has('sort') || parameters.has('order')) return null
  const row = JSON.parse(line) as { id: string; trace_id?: string; at?: string }
  const traceId = what === 'traces' || what === 'runs' ? row.id : row.trace_id
  const time = what === 'events' ? Date.parse(row.at ?? '') : isId('tr', traceId) ? timeOfId(traceId as TraceId) : NaN
  return Number.isNaN(time) ? null : new Date(time + 1).toISOString()
}
