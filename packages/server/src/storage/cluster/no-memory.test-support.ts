import type { ClusterLogDependencies } from './cluster-log.ts'

/** Of a node that keeps no rows. */
export const NO_MEMORY: ClusterLogDependencies['memory'] = {
  publish: () => undefined,
  lacking: () => [],
  complete: () => undefined,
  bridge: () => new Set(),
}
