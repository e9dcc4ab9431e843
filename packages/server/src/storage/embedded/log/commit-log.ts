import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncPath } from '../../files.ts'
import { listSegmentFiles, removeSegmentFile, type SegmentFile } from './commit-log-files.ts'
import {
  HEADER_BYTES,
  type LoggedRows,
  type LogRecord,
  peekRecord,
  readRecord,
  writeHeader,
} from './commit-log-record.ts'
import { LogSegment } from './commit-log-segment.ts'

/** One commit as the log holds it. */
export interface LoggedCommit extends LoggedRows {
  readonly version: number
}

/** Large enough that files are seldom made and removed, small enough to be read at a start in a moment. */
const SEGMENT_BYTES = 16 * 1024 * 1024

/**
 * The rows of the newest commits, durably, until the engine has them: files of records in order of version
 * (docs/design/formats/commit-log.md). Written by one process; `append` one at a time, `release` whenever.
 */
export class CommitLog {
  readonly #directory: string
  readonly #segmentBytes: number
  readonly #header = Buffer.allocUnsafeSlow(HEADER_BYTES)
  /** Segments that are no longer written to, oldest first. Each holds a record. */
  #rolled: LogSegment[] = []
  #active: LogSegment
  /** The next append goes into another segment. */
  #leaving = false
  /** Resolves when the requested work on the active segment is done; never rejects. */
  #idle: Promise<unknown> = Promise.resolve()

  private constructor(directory: string, active: LogSegment, segmentBytes: number) {
    this.#directory = directory
    this.#active = active
    this.#segmentBytes = segmentBytes
  }

  /**
   * Starts a new segment whose first version is `firstVersion`, durably, then removes all others: what `readCommitLog`
   * gives must be elsewhere by then. Makes the directory.
   */
  static async open(
    directory: string,
    firstVersion: number,
    { segmentBytes = SEGMENT_BYTES }: { segmentBytes?: number } = {},
  ): Promise<CommitLog> {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await syncPath(dirname(directory))
    const active = await LogSegment.create(directory, firstVersion)
    for (const file of await listSegmentFiles(directory)) {
      if (file.firstVersion !== firstVersion) await removeSegmentFile(directory, file)
    }
    return new CommitLog(directory, active, segmentBytes)
  }

  /** The version that the oldest segment begins with: everything before it is gone from here. */
  get oldestVersion(): number {
    return (this.#rolled[0] ?? this.#active).firstVersion
  }

  /** Bytes of all segments on disk. */
  get sizeBytes(): number {
    return this.#rolled.reduce((sum, segment) => sum + segment.sizeBytes, this.#active.sizeBytes)
  }

  /**
   * Durable when it resolves. When it rejects, with the error of the system, nothing of it counts: the next `append` or
   * `repair` cuts the file back first. Versions are consecutive; one that was rejected or taken back comes again.
   */
  append(version: number, rows: LoggedRows): Promise<void> {
    return this.#inTurn(async () => {
      await this.#repair()
      const next = this.#active.lastVersion + 1
      if (version !== next) throw new Error(`version ${version} was given to the commit log where ${next} follows`)
      // Not before: the record before this one could have been taken back until now.
      if (this.#isDue) await this.#roll()
      writeHeader(this.#header, version, rows)
      await this.#active.append([this.#header, rows.traces, rows.steps, rows.metricEvents, rows.journal])
    })
  }

  /**
   * Removes the last record if it has this version; otherwise does nothing. It is cut from the file before anything
   * else is written.
   */
  takeBack(version: number): void {
    this.#active.takeBack(version)
  }

  /**
   * After a failed or withdrawn append: makes the log writable again. Rejects with the obstacle, and can be repeated.
   */
  repair(): Promise<void> {
    return this.#inTurn(() => this.#repair())
  }

  /** Whether `release` would remove a segment, or leave the active one. */
  canRelease(throughVersion: number): boolean {
    return this.#rolled.some(({ lastVersion }) => lastVersion <= throughVersion) || this.#isDue
  }

  /**
   * All versions up to this one are elsewhere, durably: segments with nothing newer are removed. The active one is
   * among them when it is larger than `segmentBytes`; with something newer in it, the next append leaves it, so that it
   * can go later. `leaveActive`: whatever its size.
   */
  async release(throughVersion: number, leaveActive = false): Promise<void> {
    // First, and without waiting: on a full disk this is what makes space.
    await this.#removeRolled(throughVersion)
    await this.#inTurn(async () => {
      if (leaveActive && this.#active.goodBytes > 0) this.#leaving = true
      if (!this.#isDue || this.#active.lastVersion > throughVersion) return
      await this.#repair()
      if (this.#isDue) await this.#roll()
    })
    await this.#removeRolled(throughVersion)
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#active.close())
  }

  get #isDue(): boolean {
    return this.#leaving || this.#active.goodBytes > this.#segmentBytes
  }

  async #removeRolled(throughVersion: number): Promise<void> {
    for (const segment of this.#rolled.filter(({ lastVersion }) => lastVersion <= throughVersion)) {
      await removeSegmentFile(this.#directory, segment)
      this.#rolled = this.#rolled.filter((other) => other !== segment)
    }
  }

  async #repair(): Promise<void> {
    if (this.#active.isWhole) return
    await this.#active.cutBack()
    if (this.#active.isSpent) await this.#roll()
  }

  /**
   * Continues in a new file. If that fails, the old one stays active, but takes no further record: the new file may
   * exist already, and its name says that it begins with the next version.
   */
  async #roll(): Promise<void> {
    const left = this.#active
    this.#leaving = true
    this.#active = await LogSegment.create(this.#directory, left.lastVersion + 1)
    this.#leaving = false
    // One without a record had the name of the new one and is gone.
    if (left.lastVersion >= left.firstVersion) this.#rolled = [...this.#rolled, left]
    await left.close()
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#idle.then(work)
    this.#idle = done.catch(() => null)
    return done
  }
}

/** Versions in `(after, through]`. */
export interface VersionRange {
  readonly after: number
  readonly through: number
}

/** Versions `[from, through]` that a log does not hold. */
export interface MissingCommits {
  readonly from: number
  readonly through: number
  /** Where the first of them should be: a segment and a byte in it; the folder when no segment should hold it. */
  readonly path: string
  readonly position: number | null
}

/**
 * The commits of a range in the log of an ended process, whole and undamaged, in order of version. `onMissing` is
 * called for missing commits, in the same order. A record with a wrong checksum is never returned.
 */
export async function* readCommitLog(
  directory: string,
  { after, through }: VersionRange,
  onMissing: (missing: MissingCommits) => void,
): AsyncGenerator<LoggedCommit> {
  const files = await listSegmentFiles(directory)
  let next = after + 1
  for (const [index, file] of files.entries()) {
    // A record that also begins the next file was taken back: the later one counts, even when it is damaged.
    const last = Math.min(through, (files[index + 1]?.firstVersion ?? Infinity) - 1)
    if (last < next) continue
    if (file.firstVersion > next)
      onMissing({ from: next, through: file.firstVersion - 1, path: directory, position: null })
    const from = Math.max(next, file.firstVersion)
    yield* readSegment(file, { after: from - 1, through: last }, onMissing)
    next = last + 1
  }
  if (next <= through) onMissing({ from: next, through, path: directory, position: null })
}

async function* readSegment(
  { path, firstVersion }: SegmentFile,
  { after, through }: VersionRange,
  onMissing: (missing: MissingCommits) => void,
): AsyncGenerator<LoggedCommit> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    let position = 0
    for (let version = firstVersion; version <= through; version++) {
      const place = await peekRecord(handle, position, size)
      if (place?.version !== version) {
        // Where the next record begins is known by this one alone.
        onMissing({ from: Math.max(version, after + 1), through, path, position })
        return
      }
      if (version > after) {
        const record = await readRecord(handle, position, size)
        if (record === null) onMissing({ from: version, through: version, path, position })
        else yield toCommit(record)
      }
      position = place.endPosition
    }
  } finally {
    await handle.close()
  }
}

function toCommit({ version, traces, steps, metricEvents, journal }: LogRecord): LoggedCommit {
  return { version, traces, steps, metricEvents, journal }
}

/** The version that the log of an ended process begins with; null when it has no segment. */
export async function oldestLoggedVersion(directory: string): Promise<number | null> {
  return (await listSegmentFiles(directory))[0]?.firstVersion ?? null
}
