import type { Partition } from '../partition/partition.ts'
import type { Matrix } from '../matrix.ts'
import { growByOne } from './grow-by-one.ts'
import { shrinkByOne } from './shrink-by-one.ts'

/**
 * The partition with `k` clusters. Clusters are added where they gain most, or removed where the loss is least, so that
 * the others keep their traces.
 */
export function settleCount(points: Matrix, partition: Partition, k: number, random: () => number): Partition {
  let settled = partition
  while (settled.k > k) settled = shrinkByOne(points, settled)
  while (settled.k < k) {
    const grown = growByOne(points, settled, random)
    if (grown === null) break
    settled = grown
  }
  return settled
}
