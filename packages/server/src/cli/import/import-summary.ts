import { formatCount, formatMegabytes, perSecond } from './format-amounts.ts'
import type { ImportCounts, ImportRefusal } from './import-counts.ts'

export interface ImportEnd {
  readonly counts: ImportCounts
  readonly elapsedMs: number
  /** Why the import ended before its input did, or null. */
  readonly stopped: string | null
  /** Why files are not whole exports. */
  readonly broken: readonly string[]
  readonly importId: string | null
}

/** Details quote what was sent, which must not control the terminal. */
const CONTROL_CHARACTERS = /\p{Cc}+/gu

/** Whether every line of the input is committed, and exports were whole. */
export function isComplete({ counts, stopped, broken }: ImportEnd): boolean {
  return stopped === null && broken.length === 0 && counts.refused === 0 && counts.unsettled === 0
}

export function describeEnd(end: ImportEnd): string[] {
  const { counts, elapsedMs, stopped, importId } = end
  const rates = `${formatCount(perSecond(counts.lines, elapsedMs))} traces/s, ${formatMegabytes(perSecond(counts.bytes, elapsedMs))}/s`
  const result = [
    `${formatCount(counts.committed)} committed`,
    `${formatCount(counts.replayed)} already there`,
    `${formatCount(counts.refused)} refused`,
  ]
  const lines = [`${result.join(', ')} in ${(elapsedMs / 1000).toFixed(1)} s (${rates})`]
  if (counts.refused > 0) lines.push(...describeLines('Refused:', counts.refused, counts.refusals))
  if (counts.changed > 0) {
    const title = 'Committed, with values moved aside into `spoor.problems` of the metadata:'
    lines.push(...describeLines(title, counts.changed, counts.changes))
  }
  if (stopped !== null) {
    lines.push(`Not the whole input was imported: ${stopped}`)
    if (counts.unsettled > 0) lines.push(`${formatCount(counts.unsettled)} lines were sent and have no result.`)
    const again = importId === null ? '' : ` with --import-id ${importId} instead of --again`
    lines.push(`Run the same command${again} to continue: lines that are already there are not imported twice.`)
  }
  return lines
}

function describeLines(title: string, count: number, shown: readonly ImportRefusal[]): string[] {
  const lines = shown.map(
    ({ line, file, code, detail }) =>
      `  ${file === undefined ? '' : `${file}, `}line ${line}: ${code}: ${detail.replaceAll(CONTROL_CHARACTERS, ' ')}`,
  )
  if (count > shown.length) lines.push(`  and ${formatCount(count - shown.length)} more`)
  return [title, ...lines]
}

/** The same for programs: one JSON object. */
export function endJson(end: ImportEnd): string {
  const { counts, elapsedMs, stopped, broken, importId } = end
  const { committed, replayed, refused, refusals, changed, changes, unsettled, bytes } = counts
  return JSON.stringify({
    complete: isComplete(end),
    committed,
    replayed,
    refused,
    unsettled,
    refusals,
    changed,
    changes,
    stopped,
    broken,
    import_id: importId,
    bytes,
    duration_ms: Math.round(elapsedMs),
    traces_per_second: Math.round(perSecond(counts.lines, elapsedMs)),
    bytes_per_second: Math.round(perSecond(bytes, elapsedMs)),
  })
}
