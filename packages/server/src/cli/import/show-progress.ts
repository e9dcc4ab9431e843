import type { Timers } from '../../lib/time/timers.ts'
import type { RunningImport } from './import-traces.ts'
import { type ProgressSnapshot, renderProgress } from './render-progress.ts'

/** Where progress is shown: a terminal, or a log that keeps every line. */
export interface ProgressOutput {
  readonly isTerminal: boolean
  /** Characters in a line, read again for each line, because windows are resized. */
  columns(): number
  write(text: string): void
}

const TERMINAL_INTERVAL_MS = 200
const LOG_INTERVAL_MS = 10_000
/** Rates cover this many last drawings: 5 s on a terminal. */
const RATE_WINDOW = 25
const ERASE_LINE = '\r\u001B[2K'
/** Other line ends and control characters of a message would break the one line. */
const CONTROL_CHARACTERS = /\p{Cc}+/gu

/**
 * Draws until the returned function is called: on a terminal one line, drawn again and again; elsewhere an occasional
 * new line.
 */
export function showProgress(
  { counts, ...running }: Pick<RunningImport, 'counts'> & { readonly trouble: () => string | null },
  totalBytes: number | null,
  { output, timers }: { readonly output: ProgressOutput; readonly timers: Timers },
): () => void {
  const startedAt = timers.now()
  const history: ProgressSnapshot['before'][] = [{ elapsedMs: 0, lines: 0, bytes: 0 }]
  const line = () => {
    const now = { elapsedMs: timers.now() - startedAt, lines: counts.lines, bytes: counts.bytes }
    const [before = now] = history
    const { refused } = counts
    const shown = renderProgress(
      { ...now, before, totalBytes, refused, trouble: running.trouble() },
      output.columns() - 1,
    )
    history.push(now)
    if (history.length > RATE_WINDOW) history.shift()
    return shown
  }
  return drawRepeatedly(line, { output, timers })
}

/** Draws a line again and again until the returned function is called. */
export function drawRepeatedly(
  line: () => string,
  { output, timers }: { readonly output: ProgressOutput; readonly timers: Timers },
): () => void {
  const draw = () => {
    const clean = line().replaceAll(CONTROL_CHARACTERS, ' ')
    output.write(output.isTerminal ? `${ERASE_LINE}${clean}` : `${clean}\n`)
  }
  const cancel = timers.every(output.isTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS, draw)
  return () => {
    cancel()
    if (output.isTerminal) output.write(ERASE_LINE)
  }
}
