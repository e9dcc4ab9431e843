import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { OperatorError } from '../../lib/operator-error.ts'
import { CommitLog, readCommitLog, type LoggedCommit } from './commit-log.ts'
import { HEADER_BYTES } from './commit-log-record.ts'
import type { RowBytes } from './row-bytes.ts'

/** Rows that tell their version, of sizes that differ; now and then none. */
export function numberedRows(version: number): LoggedCommit {
  return {
    version,
    ...rowBytes(
      rows(`trace of ${version}`, version % 4),
      rows(`step of ${version}`, version % 23),
      rows(`event of ${version}`, version % 3),
    ),
  }
}

const NONE = Buffer.alloc(0)

export function rowBytes(traces: Buffer, steps: Buffer = NONE, metricEvents: Buffer = NONE): RowBytes {
  return { traces, steps, metricEvents }
}

function rows(text: string, count: number): Buffer {
  return Buffer.from(`{"name":"${text}"}\n`.repeat(count))
}

export async function opened(
  context: TestContext,
  directory: string,
  firstVersion: number,
  options?: { segmentBytes: number },
): Promise<CommitLog> {
  const log = await CommitLog.open(directory, firstVersion, options)
  context.after(() => log.close())
  return log
}

export async function appendNumbered(log: CommitLog, first: number, last: number): Promise<void> {
  for (let version = first; version <= last; version++) {
    await log.append(version, numberedRows(version))
  }
}

export async function readAll(directory: string, throughVersion: number): Promise<LoggedCommit[]> {
  const read: LoggedCommit[] = []
  for await (const commit of readCommitLog(directory, throughVersion)) read.push(commit)
  return read
}

export async function readUntilError(
  directory: string,
  throughVersion: number,
): Promise<{ read: LoggedCommit[]; error: OperatorError | null }> {
  const read: LoggedCommit[] = []
  try {
    for await (const commit of readCommitLog(directory, throughVersion)) read.push(commit)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { read, error }
  }
  return { read, error: null }
}

/** Where each of the first records of a segment ends. */
export function recordEnds(commits: readonly LoggedCommit[]): number[] {
  let end = 0
  return commits.map(
    ({ traces, steps, metricEvents }) => (end += HEADER_BYTES + traces.length + steps.length + metricEvents.length),
  )
}

export function segmentName(firstVersion: number): string {
  return `${String(firstVersion).padStart(20, '0')}.log`
}

export function bytesIn(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

export function temporaryFolder(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'spoor-log-'))
  context.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
