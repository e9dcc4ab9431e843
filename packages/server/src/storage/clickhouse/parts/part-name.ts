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
export function covers(outer: PartName, inner: PartName): boolean {
  return (
    outer.partition === inner.partition &&
    outer.firstBlock <= inner.firstBlock &&
    outer.lastBlock >= inner.lastBlock &&
    outer.level >= inner.level &&
    outer.mutation >= inner.mutation
  )
}
