/** Rows of a part by their offsets; `to` is exclusive. */
export interface RowRange {
  readonly from: number
  readonly to: number
}

/** A read that failed; `granule` is the one that the engine names, null if it names none. */
export interface FailedRead {
  readonly granule: number | null
}

/** Granules read to find out whether any of many is readable. */
const SAMPLES = 5
/** After this many bad granules in a row, the rest is sampled: their marks may be lost, for example. */
const BAD_IN_A_ROW = 3

/**
 * The rows that cannot be read, in order, as whole granules, because the engine reads rows of a granule together.
 *
 * A failed read is expensive: when a checksum does not match, the engine tries to flip each bit of the block, which
 * takes 5 s for 64 KB. So the granule named by a failure is taken to be bad without another read, and may be a
 * neighbour of the bad one. Every granule called good has been read. When none of some samples of the rest can be read,
 * the whole rest is given up.
 */
export async function findBadRows(
  granules: readonly RowRange[],
  read: (range: RowRange) => Promise<FailedRead | null>,
): Promise<readonly RowRange[]> {
  /** By the numbers of their granules. */
  const bad: RowRange[] = []
  const giveUp = (from: number, to: number) => {
    const last = bad.at(-1)
    if (last?.to === from) bad[bad.length - 1] = { from: last.from, to }
    else bad.push({ from, to })
  }
  const rowsOf = (from: number, to: number): RowRange => ({
    from: (granules[from] as RowRange).from,
    to: (granules[to - 1] as RowRange).to,
  })
  const isHopeless = async (from: number, to: number): Promise<boolean> => {
    const count = Math.min(SAMPLES, to - from)
    for (let sample = 0; sample < count; sample++) {
      const at = from + Math.floor((sample * (to - from)) / count)
      if ((await read(rowsOf(at, at + 1))) === null) return false
    }
    return true
  }
  /** By granule numbers; `to` is exclusive. */
  const search = async (begin: number, to: number): Promise<void> => {
    let from = begin
    let sampleAfter = BAD_IN_A_ROW
    while (from < to) {
      const failed = await read(rowsOf(from, to))
      if (failed === null) return
      if (to - from === 1 || (isUnknown(failed, from, to) && (await isHopeless(from, to)))) {
        giveUp(from, to)
        return
      }
      if (isUnknown(failed, from, to)) {
        const middle = (from + to) >> 1
        await search(from, middle)
        from = middle
        continue
      }
      const at = failed.granule as number
      await search(from, at)
      giveUp(at, at + 1)
      from = at + 1
      const run = from - (bad.at(-1) as RowRange).from
      if (run < sampleAfter || from === to) continue
      if (await isHopeless(from, to)) {
        giveUp(from, to)
        return
      }
      sampleAfter = 2 * run
    }
  }
  await search(0, granules.length)
  return bad.map(({ from, to }) => rowsOf(from, to))
}

function isUnknown({ granule }: FailedRead, from: number, to: number): boolean {
  return granule === null || granule < from || granule >= to
}

/** All rows that are not in `bad`. */
export function goodRows(rows: number, bad: readonly RowRange[]): readonly RowRange[] {
  const edges = [0, ...bad.flatMap(({ from, to }) => [from, to]), rows]
  return edges
    .flatMap((from, at) => (at % 2 === 0 ? [{ from, to: edges[at + 1] as number }] : []))
    .filter(({ from, to }) => from < to)
}
