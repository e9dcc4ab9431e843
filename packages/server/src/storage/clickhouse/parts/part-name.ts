/** A part's name: `<partition>_<first block>_<last block>_<level>[_<mutation>]`. */
export interface PartName {
  readonly partition: string
  readonly firstBlock: number
  readonly lastBlock: number
  readonly level: number
  /** Number of its last mutation; 0 for none. */
  readonly mutation: number
}

/** Null for anything that is not a finished part: `tmp_merge_…`, `detached`, files beside the parts. */
export function parsePartName(name: string): PartName | null {
  const match = /^([0-9a-z]+)_(\d+)_(\d+)_(\d+)(?:_(\d+))?$/.exec(name)
  if (match === null) return null
  const [, partition, firstBlock, lastBlock, level, mutation] = match
  return {
    partition: partition as string,
    firstBlock: Number(firstBlock),
    lastBlock: Number(lastBlock),
    level: Number(level),
    mutation: Number(mutation ?? 0),
  }
}

/** Whether `outer` was made from `inner`, directly or indirectly. The engine then reads only `outer`. */
export function covers(outer: string, inner: string): boolean {
  const [a, b] = [parsePartName(outer), parsePartName(inner)]
  return isWithin(b, a) && (a?.level ?? 0) >= (b?.level ?? 0) && (a?.mutation ?? 0) >= (b?.mutation ?? 0)
}

/** Whether all blocks of `inner` are among those of `outer`. */
export function isWithin(inner: PartName | null, outer: PartName | null): boolean {
  if (inner === null || outer === null || inner.partition !== outer.partition) return false
  return outer.firstBlock <= inner.firstBlock && outer.lastBlock >= inner.lastBlock
}

/**
 * One block and no mutation. The engine gives level 1 to an insert whose rows it has merged among themselves, and to a
 * merge of one part.
 */
export function isInserted(name: string): boolean {
  const part = parsePartName(name)
  return part !== null && part.firstBlock === part.lastBlock && part.level <= 1 && part.mutation === 0
}

/** Whether the blocks of one part are among those of the other: one was made from the other, or both from the same. */
export function sharesBlocks(one: string, other: string): boolean {
  const [a, b] = [parsePartName(one), parsePartName(other)]
  return isWithin(a, b) || isWithin(b, a)
}
