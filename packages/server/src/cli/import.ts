import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { EXPORT_BYTES } from '@spoor/contract/otlp'
import type { Timers } from '../lib/time/timers.ts'
import { EXIT, runCommand } from './command.ts'
import { countRow, describeBroken, type ExportFile } from './import/export-ends.ts'
import type { ImportInput } from './import/open-input.ts'
import { importTraces, type InputLine } from './import/import-traces.ts'
import { describeEnd, endJson, isComplete } from './import/import-summary.ts'
import { createLineKeys } from './import/line-keys.ts'
import { type LineRequest, toPartRequest } from './import/line-request.ts'
import { type Peer, PEERS } from './import/peers/peer.ts'
import { peerLines } from './import/peers/peer-lines.ts'
import { IMPORT_USAGE, type ImportDefaults, type ImportOptions, readImportOptions } from './import/import-options.ts'
import { readLines } from './import/read-lines.ts'
import type { Destination, SendTrace } from './import/send-trace.ts'
import { type ProgressOutput, showProgress } from './import/show-progress.ts'

/** Dependencies that main.ts passes to `spoor import`. */
export interface ImportCommandDependencies extends ImportDefaults {
  /** Throws OperatorError. */
  openInput(path: string): ImportInput
  /** Throws OperatorError when nothing answers at `url`. */
  checkService(url: string): Promise<void>
  /** `toRequest`: absent for lines of our own. */
  createSend(destination: Destination, toRequest?: (line: Buffer) => LineRequest): SendTrace
  readonly timers: Timers
  /** In [0, 1). */
  random(): number
  /** Calls `listener` at each Ctrl-C until the returned function is called. */
  onInterrupt(listener: () => void): () => void
  readonly progress: ProgressOutput
  print(line: string): void
  printError(line: string): void
}

/** After the first Ctrl-C, requests in flight may take this long to be answered. A second Ctrl-C ends them at once. */
const INTERRUPT_GRACE_MS = 10_000

/** `spoor import …`. `args` are the arguments after `import`. */
export async function runImportCommand(
  args: readonly string[],
  dependencies: ImportCommandDependencies,
): Promise<number> {
  let complete = true
  const exit = await runCommand(IMPORT_USAGE, dependencies, async () => {
    const options = readImportOptions(args, dependencies)
    if (options === null) dependencies.print(IMPORT_USAGE)
    else complete = await runImport(options, dependencies)
  })
  return exit === EXIT.done && !complete ? EXIT.failed : exit
}

async function runImport(options: ImportOptions, dependencies: ImportCommandDependencies): Promise<boolean> {
  const { timers, print, printError } = dependencies
  const input = openLines(options, dependencies)
  try {
    await dependencies.checkService(options.destination.url)
  } catch (error) {
    input.close()
    throw error
  }
  const interrupt = interruptions(dependencies)
  const startedAt = timers.now()
  const running = importTraces(
    {
      lines: input.lines,
      closeLines: () => input.close(),
      maxLineBytes: input.maxLineBytes,
      concurrency: options.concurrency,
      patienceMs: options.patienceMs,
      stop: interrupt.stop,
      abandon: interrupt.abandon,
    },
    {
      send: dependencies.createSend(options.destination, input.toRequest),
      keyOf: createLineKeys(options.importId),
      timers,
      random: () => dependencies.random(),
    },
  )
  const { counts } = running
  const endProgress = showProgress({ counts, trouble: () => running.trouble }, input.totalBytes, {
    output: dependencies.progress,
    timers,
  })
  let failure: string | null
  try {
    failure = await running.finished
  } finally {
    endProgress()
    interrupt.end()
    input.close()
  }
  const stopped = failure ?? (interrupt.stop.aborted ? 'it was interrupted.' : null)
  const end = {
    counts,
    elapsedMs: timers.now() - startedAt,
    stopped,
    broken: stopped === null ? describeBroken(input.exports) : [],
    importId: options.importId,
  }
  if (options.json) print(endJson(end))
  else for (const line of describeEnd(end)) print(line)
  for (const sentence of end.broken) printError(sentence)
  return isComplete(end)
}

interface OpenLines {
  readonly lines: AsyncIterable<InputLine>
  readonly maxLineBytes: number
  /** Null if it is not known. */
  readonly totalBytes: number | null
  readonly toRequest?: (line: Buffer) => LineRequest
  /** With `--keep-ids`, the files. */
  readonly exports: readonly ExportFile[]
  close(): void
}

/** Throws OperatorError when a file cannot be opened. */
function openLines({ paths, from, keepIds }: ImportOptions, { openInput }: ImportCommandDependencies): OpenLines {
  const files: (ImportInput & { readonly path: string })[] = []
  const close = () => {
    for (const file of files) file.close()
  }
  try {
    for (const path of paths) files.push(Object.assign(openInput(path), { path }))
  } catch (error) {
    close()
    throw error
  }
  if (from === null) {
    const maxLineBytes = DEFAULT_LIMITS.traceBodyBytes
    const name = (path: string) => (path === '-' ? 'Standard input' : path)
    const exports = keepIds ? paths.map((path) => ({ name: name(path), rows: 0, stated: null })) : []
    const sizes = files.flatMap(({ totalBytes }) => totalBytes ?? [])
    return {
      lines: ownLines(files, maxLineBytes, exports),
      maxLineBytes,
      totalBytes: sizes.length === files.length ? sizes.reduce((sum, size) => sum + size, 0) : null,
      ...(keepIds && { toRequest: toPartRequest }),
      exports,
      close,
    }
  }
  const peer: Peer = PEERS[from]
  return {
    lines: peerLines(peer, files, EXPORT_BYTES),
    maxLineBytes: EXPORT_BYTES,
    // What is sent is longer or shorter than the rows of the files.
    totalBytes: null,
    toRequest: (body) => ({ kind: 'batch', path: peer.pathOf(body) ?? '', body }),
    exports: [],
    close,
  }
}

/** Without the lines that end exports. */
async function* ownLines(
  files: readonly (ImportInput & { readonly path: string })[],
  maxLineBytes: number,
  exports: readonly ExportFile[],
): AsyncGenerator<InputLine> {
  for (const [at, { path, chunks }] of files.entries()) {
    const place = files.length === 1 ? {} : { file: path }
    for await (const line of readLines(chunks, maxLineBytes)) {
      if (exports[at] === undefined || countRow(exports[at], line)) yield { ...line, ...place }
    }
  }
}

/** `stop` is aborted by the first Ctrl-C, `abandon` by the second, or some time after the first. */
function interruptions({ onInterrupt, timers }: ImportCommandDependencies) {
  const stop = new AbortController()
  const abandon = new AbortController()
  let cancelGrace = () => {}
  const unsubscribe = onInterrupt(() => {
    if (stop.signal.aborted) return abandon.abort()
    stop.abort()
    cancelGrace = timers.after(INTERRUPT_GRACE_MS, () => abandon.abort())
  })
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    end() {
      unsubscribe()
      cancelGrace()
    },
  }
}
