import { CLUSTER_KINDS } from '@spoor/contract/schemas/cluster'
import {
  type ClusterSetId,
  clusterSetOf,
  kindOfSet,
  projectOfSet,
  selectionOfSet,
  wholeSetOf,
} from '../../../ports/clusters/cluster-set.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'

const ID_BYTES = 16

/** The key of a set: the bytes of its project; of failures and selections one for the kind; and of the selection. */
export function setToBytes(setId: ClusterSetId): Uint8Array {
  const bytes = idToBytes(projectOfSet(setId))
  const selection = selectionOfSet(setId)
  const kind = CLUSTER_KINDS.indexOf(kindOfSet(setId))
  if (kind === 0 && selection === null) return bytes
  return Uint8Array.of(...bytes, kind, ...(selection === null ? [] : idToBytes(selection)))
}

/** The key of features, templates and vectors, which selections share with all traces. */
export function wholeSetToBytes(setId: ClusterSetId): Uint8Array {
  return setToBytes(wholeSetOf(setId))
}

export function setFromBytes(bytes: Uint8Array): ClusterSetId {
  const projectId = idFromBytes('proj', bytes.subarray(0, ID_BYTES))
  const [kind = 0, ...selection] = bytes.subarray(ID_BYTES)
  const id = selection.length === 0 ? null : idFromBytes('sel', Uint8Array.from(selection))
  return clusterSetOf(projectId, CLUSTER_KINDS[kind]!, id)
}
