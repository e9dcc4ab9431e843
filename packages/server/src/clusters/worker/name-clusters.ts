import type { Excerpt } from './excerpt.ts'

/** What a cluster is called. */
export interface ClusterName {
  readonly label: string
  readonly description: string
  readonly keywords: readonly string[]
}

/** Names for groups of traces that are to be told apart, one for each, in their order. */
export type NameClusters = (groups: readonly (readonly Excerpt[])[]) => readonly ClusterName[]
