import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { CommitLog, type LoggedCommit, type MissingCommits, oldestLoggedVersion, readCommitLog } from './commit-log.ts'
import { HEADER_BYTES, type LoggedRows } from './commit-log-record.ts'

/** Rows that tell their version, of sizes that differ; now and then none. */
export function numberedRows(version: number): LoggedCommit {
  return {
    version,
    ...rowBytes(
      rows(`trace of ${version}`, version % 4),
      rows(`step of ${version}`, version % 23),
      rows(`event of ${version}`, version % 3),
      rows(`record of ${version}`, version % 2),
    ),
  }
}

const NONE = Buffer.alloc(0)

export function rowBytes(
  traces: Buffer,
  steps: Buffer = NONE,
  metricEvents: Buffer = NONE,
  journal: Buffer = NONE,
): LoggedRows {
  return { traces, steps, metricEvents, journal }
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

/** From the oldest segment on; everything MUST be there. */
export async function readAll(directory: string, throughVersion: number): Promise<LoggedCommit[]> {
  const { read, missing } = await readWithGaps(directory, throughVersion)
  assert.deepEqual(missing, [])
  return read
}

/** From the oldest segment on, or after a version, with what is not there. */
export async function readWithGaps(
  directory: string,
  throughVersion: number,
  after?: number,
): Promise<{ read: LoggedCommit[]; missing: MissingCommits[] }> {
  const read: LoggedCommit[] = []
  const missing: MissingCommits[] = []
  const range = {
    after: after ?? ((await oldestLoggedVersion(directory)) ?? throughVersion + 1) - 1,
    through: throughVersion,
  }
  for await (const commit of readCommitLog(directory, range, (gap) => missing.push(gap))) read.push(commit)
  return { read, missing }
}

/** Where each of the first records of a segment ends. */
export function recordEnds(commits: readonly LoggedCommit[]): number[] {
  let end = 0
  return commits.map(
    ({ traces, steps, metricEvents, journal }) =>
      (end += HEADER_BYTES + traces.length + steps.length + metricEvents.length + journal.length),
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
