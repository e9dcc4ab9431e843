import { decodeCommitRecord } from '../../storage/embedded/log/commit-record-json.ts'
import type { CommitRecord } from '../../ports/journal/journal.ts'
import type { EmbeddedJournal } from '../../storage/embedded/embedded-journal.ts'
import { type MissingCommits, readCommitLog } from '../../storage/embedded/log/commit-log.ts'
import type { Losses } from './losses.ts'

export interface Replayed {
  /** Commits that were in the log and not in the journal. */
  readonly commits: number
  /** Links of steps to media that the journal no longer knows. */
  readonly lostLinks: number
}

/**
 * Restores to the journal the commits that only the log holds: the last one, if a crash came between the two, and more
 * if the journal has lost its end. So a commit that was in progress at a crash may be completed although it was never
 * acknowledged.
 */
export async function replayCommits(
  directory: string,
  journal: Pick<EmbeddedJournal, 'append' | 'last'>,
  losses: Losses,
): Promise<Replayed> {
  const { version } = journal.last()
  let gap: MissingCommits | null = null
  let commits = 0
  let lostLinks = 0
  const missing = (found: MissingCommits) => (gap ??= found)
  for await (const logged of readCommitLog(directory, { after: version, through: Infinity }, missing)) {
    // A record that no other follows was never complete: a crash cut it off.
    const hole = gap as MissingCommits | null
    if (hole !== null) {
      losses.add(
        `${describe(hole)}, and neither does control.db, which ends at commit ${version}. Later commits follow in the log.`,
      )
      if (!losses.isAccepting) break
      gap = null
    }
    lostLinks += append(journal, decodeCommitRecord(logged.journal))
    commits += 1
  }
  return { commits, lostLinks }
}

/** Returns how many links to media were omitted because the media is no longer known. */
function append(journal: Pick<EmbeddedJournal, 'append'>, record: CommitRecord): number {
  try {
    journal.append(record)
    return 0
  } catch (error) {
    if (record.attachments.length === 0) throw error
    journal.append({ ...record, attachments: [] })
    return record.attachments.length
  }
}

export function describe({ from, through, path, position }: MissingCommits): string {
  const commits = from === through ? `commit ${from}` : `commits ${from} to ${through}`
  return position === null
    ? `The commit log ${path} does not hold ${commits}`
    : `The commit log does not hold ${commits}: ${path} is damaged at byte ${position}`
}
