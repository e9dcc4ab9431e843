/**
 * `<store>:<number>`: the id of the store, and a number that `spoor recover` increments. PostgreSQL, ClickHouse and the
 * bucket carry it, so that stores of different moments, or of different clusters, are noticed.
 */
export type Timeline = string

/** What PostgreSQL says. */
export interface LogState {
  readonly timeline: Timeline
  /** All commits through this one are in ClickHouse. */
  readonly settledThrough: number
  /** ClickHouse has no commit after this one: the last of the batch on its way there; without one, `settledThrough`. */
  readonly sentThrough: number
}

/** Through which commit a server of ClickHouse, or each of several shards, has rows, by timeline. */
export type Marks = readonly ReadonlyMap<Timeline, number>[]

export interface Mismatch {
  /** Which store is of an earlier moment than the other; null when they belong to different clusters. */
  readonly older: 'PostgreSQL' | 'ClickHouse' | 'the bucket' | null
  readonly message: string
}

/**
 * If ClickHouse has what PostgreSQL does not know, new commits would get the numbers of forgotten ones, and lose to
 * them. `settledThrough` MUST have been read before the marks, `sentThrough` after them.
 */
export function findMismatch({ timeline, settledThrough, sentThrough }: LogState, marks: Marks): Mismatch | null {
  for (const found of marks.flatMap((of) => [...of.keys()])) {
    const mismatch = compareTimelines(timeline, found, 'ClickHouse')
    if (mismatch !== null && mismatch.older !== 'ClickHouse') return mismatch
  }
  const own = marks.map((of) => of.get(timeline) ?? 0)
  if (Math.max(...own) > sentThrough)
    return {
      older: 'PostgreSQL',
      message:
        `PostgreSQL is older than ClickHouse: ClickHouse has commits through ${Math.max(...own)}, but PostgreSQL has ` +
        `sent it commits through ${sentThrough} only. New commits would be lost. PostgreSQL was restored or failed ` +
        `over to an earlier moment. ${WAY_OUT}`,
    }
  if (Math.min(...own) < settledThrough)
    return {
      older: 'ClickHouse',
      message:
        `ClickHouse is older than PostgreSQL: it has commits through ${Math.min(...own)} of the timeline ${timeline}, ` +
        `but PostgreSQL says that it has those through ${settledThrough}. ${WAY_OUT}`,
    }
  return null
}

/** `found` is of `place`, `timeline` of PostgreSQL. */
export function compareTimelines(
  timeline: Timeline,
  found: Timeline,
  place: 'ClickHouse' | 'the bucket',
): Mismatch | null {
  if (found === timeline) return null
  const [[store, number], [otherStore, other]] = [partsOf(timeline), partsOf(found)]
  const name = place === 'ClickHouse' ? place : 'The bucket'
  if (store !== otherStore)
    return {
      older: null,
      message: `${name} belongs to another store, ${otherStore}: PostgreSQL has the log of ${store}. Name stores that belong together.`,
    }
  const [older, newer] = other < number ? [name, 'PostgreSQL'] : ['PostgreSQL', place]
  return {
    older: other < number ? place : 'PostgreSQL',
    message:
      `${older} is older than ${newer}: it is of timeline ${Math.min(number, other)}, before a recovery, ` +
      `and ${newer} of timeline ${Math.max(number, other)}. ${WAY_OUT}`,
  }
}

const WAY_OUT = 'spoor recover shows what differs, and how to go on: docs/operate/backup-and-restore.md.'

/** As the tables are made with: see postgresql-tables.ts. */
export function firstTimeline(store: string): Timeline {
  return `${store}:1`
}

export function nextTimeline(timeline: Timeline): Timeline {
  const [store, number] = partsOf(timeline)
  return `${store}:${number + 1}`
}

/** Of one store; '' of none. */
export function newestOf(timelines: readonly Timeline[]): Timeline {
  return timelines.reduce((a, b) => (a !== '' && partsOf(a)[1] >= partsOf(b)[1] ? a : b), '')
}

function partsOf(timeline: Timeline): [string, number] {
  const [store = '', number] = timeline.split(':')
  return [store, Number(number)]
}
