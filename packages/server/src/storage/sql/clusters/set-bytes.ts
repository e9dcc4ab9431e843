import { type ClusterSetId, clusterSetOf, kindOfSet, projectOfSet } from '../../../ports/clusters/cluster-set.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'

const ID_BYTES = 16
const OF_FAILURES = 1

/** The key of a set: the bytes of its project, and one more for failures. */
export function setToBytes(setId: ClusterSetId): Uint8Array {
  const bytes = idToBytes(projectOfSet(setId))
  return kindOfSet(setId) === 'requests' ? bytes : Uint8Array.of(...bytes, OF_FAILURES)
}

export function setFromBytes(bytes: Uint8Array): ClusterSetId {
  const projectId = idFromBytes('proj', bytes.subarray(0, ID_BYTES))
  return clusterSetOf(projectId, bytes.length === ID_BYTES ? 'requests' : 'failures')
}
