/**
 * What is wrong when ClickHouse has commits through `marked` and PostgreSQL has sent it those through `sentThrough`;
 * null for nothing. If `marked` is greater, PostgreSQL is of an earlier moment, and has forgotten commits. New ones
 * would get their numbers, and lose to them in ClickHouse. `marked` MUST have been read first: then it does not matter
 * what other nodes settle meanwhile.
 */
export function olderPostgresql(marked: number, sentThrough: number): string | null {
  if (marked <= sentThrough) return null
  return (
    `PostgreSQL is older than ClickHouse: ClickHouse has commits through ${marked}, but PostgreSQL has sent it ` +
    `commits through ${sentThrough} only. New commits would be lost. Either PostgreSQL was restored or failed over to ` +
    'an earlier moment, or the two belong to different stores. docs/operate/backup-and-restore.md says how to go on.'
  )
}
