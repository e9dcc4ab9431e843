/** Rows of a part by their offsets, without `to`. */
export interface RowRange {
  readonly from: number
  readonly to: number
}

/** That rows could not be read, and at which granule by the engine's own words, where it names one. */
export interface FailedRead {
  readonly granule: number | null
}

/** Granules read to see whether anything can be read of many. */
const SAMPLES = 5
/** So many bad ones in a row may mean that no other is better: their marks are gone, for example. */
const BAD_IN_A_ROW = 3

/**
 * The rows that cannot be read, in order, as whole granules: rows of a granule are read together.
 *
 * A read that fails is expensive: where a checksum does not match, the engine tries for each bit of the block whether
 * flipping it back would help, which takes 5 s for 64 KB. So each failure is believed about where it was, and all that
 * is called good has been read; a granule beside a bad one may be given up with it. When none of some granules spread
 * over the rest can be read, nothing of it is.
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
  /** Of granules by their numbers, without `to`. */
  const search = async (begin: number, to: number): Promise<void> => {
    let from = begin
    let patience = BAD_IN_A_ROW
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
      if (run < patience || from === to) continue
      if (await isHopeless(from, to)) {
        giveUp(from, to)
        return
      }
      patience = 2 * run
    }
  }
  await search(0, granules.length)
  return bad.map(({ from, to }) => rowsOf(from, to))
}

function isUnknown({ granule }: FailedRead, from: number, to: number): boolean {
  return granule === null || granule < from || granule >= to
}

/** The other rows. */
export function goodRows(rows: number, bad: readonly RowRange[]): readonly RowRange[] {
  const edges = [0, ...bad.flatMap(({ from, to }) => [from, to]), rows]
  return edges
    .flatMap((from, at) => (at % 2 === 0 ? [{ from, to: edges[at + 1] as number }] : []))
    .filter(({ from, to }) => from < to)
}
