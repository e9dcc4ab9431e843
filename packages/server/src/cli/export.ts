import { readBucketTarget } from '../lib/net/bucket-target.ts'
import { OperatorError } from '../lib/operator-error.ts'
import type { Timers } from '../lib/time/timers.ts'
import { runCommand } from './command.ts'
import { EXPORT_USAGE, type ExportOptions, readExportOptions } from './export/export-options.ts'
import { OutputSink, PartFile, type Sink } from './export/part-file.ts'
import { openFolder, PartFiles, type PartTarget } from './export/part-files.ts'
import { BrokenExport } from './export/request-export.ts'
import { type ExportProgress, writeExport } from './export/write-export.ts'
import { formatClock, formatCount, formatMegabytes } from './import/format-amounts.ts'
import { drawRepeatedly, type ProgressOutput } from './import/show-progress.ts'

/** Dependencies that main.ts passes to `spoor export`. */
export interface ExportCommandDependencies {
  /** From the environment; null what is not set. */
  readonly configured: { readonly url: string | null; readonly apiKey: string | null }
  readonly timers: Timers
  readonly progress: ProgressOutput
  /** `prefix` is empty or ends with a slash. Throws OperatorError. */
  openBucket(bucket: string, prefix: string): Promise<PartTarget>
  print(line: string): void
  printError(line: string): void
}

const PAUSE_MS = 1000

/** `spoor export …`. `args` are the arguments after `export`. */
export function runExportCommand(args: readonly string[], dependencies: ExportCommandDependencies): Promise<number> {
  return runCommand(EXPORT_USAGE, dependencies, async () => {
    const options = readExportOptions(args, dependencies.configured)
    if (options === null) dependencies.print(EXPORT_USAGE)
    else await runExport(options, dependencies)
  })
}

async function runExport(options: ExportOptions, dependencies: ExportCommandDependencies): Promise<void> {
  const { timers, progress: output, printError } = dependencies
  const { path, to, format } = options
  const progress: ExportProgress = { rows: 0, bytes: 0, last: null, reason: null }
  const sink = await openSink(options, progress, dependencies)
  const startedAt = timers.now()
  const state = () =>
    `${formatCount(progress.rows)} rows, ${formatMegabytes(progress.bytes)}, ${formatClock(timers.now() - startedAt)}`
  const trouble = () => (progress.reason === null ? '' : `; trying again: ${progress.reason}`)
  const end = drawRepeatedly(() => `${state()}${trouble()}`, { output, timers })
  try {
    for (let movedAt = startedAt; ;) {
      const before = progress.bytes
      try {
        await writeExport(options, sink, progress)
        break
      } catch (error) {
        if (!(error instanceof BrokenExport)) throw error
        const now = timers.now()
        // An export that begins again moves only when it is longer than before.
        if (progress.bytes > before) movedAt = now
        if (now - movedAt >= options.patienceMs) {
          const then = format === 'jsonl' && (path ?? to) !== null ? ' Run the same command again to go on.' : ''
          throw new OperatorError(`The export broke off: ${error.message}.${then}`, { cause: error })
        }
        progress.reason = error.message
        await new Promise<void>((wake) => timers.after(PAUSE_MS, wake))
      }
    }
    await sink.finish()
  } finally {
    end()
    sink.close()
  }
  printError(`Exported ${state()}.`)
}

async function openSink(
  { what, format, path, to, partBytes, parameters }: ExportOptions,
  progress: ExportProgress,
  { openBucket }: ExportCommandDependencies,
): Promise<Sink> {
  const query = `${what} ${format} ${parameters.toString()}\n`
  if (to !== null) {
    const place = readBucketTarget(to)
    const target = place === null ? openFolder(to) : await openBucket(place.bucket, place.prefix)
    const files = await PartFiles.open(target, what, query, partBytes)
    Object.assign(progress, files.written)
    return files
  }
  if (path === null) return new OutputSink()
  const file = new PartFile(path, query)
  if (format === 'jsonl') {
    const { count, last } = file.readLines()
    Object.assign(progress, { rows: count, last })
  }
  return file
}
