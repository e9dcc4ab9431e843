import { CLUSTER_OPERATIONS } from '@spoor/contract/operations/cluster-operations'
import type { ClusterDetail, ClusterList, ListedCluster } from '@spoor/contract/schemas/cluster'
import { Type } from 'typebox'
import { compact } from './compact.ts'
import { defineTool } from './tool.ts'

const MOST_KEYWORDS = 8

export const listClusters = defineTool({
  name: 'list_clusters',
  description:
    'The groups of similar traces that the latest discovery found, largest first, with sizes and error rates. ' +
    'search_traces with `cluster` lists the traces of one.',
  readOnly: true,
  input: Type.Object({}, { additionalProperties: false }),
  run: async (_input, api) => {
    const { clusters, computed_at } = await api.get<ClusterList>('/v1/clusters')
    return { computed_at, clusters: clusters.map(shortCluster) }
  },
})

export const getCluster = defineTool({
  name: 'get_cluster',
  description: 'One cluster with the ids of traces that represent it.',
  readOnly: true,
  input: CLUSTER_OPERATIONS.readCluster.pathParameters,
  run: async ({ id }, api) => {
    const { cluster, representative_traces, computed_at } = await api.get<ClusterDetail>(`/v1/clusters/${id}`)
    return { ...shortCluster(cluster), representative_traces, computed_at }
  },
})

function shortCluster({ keywords, ...cluster }: ListedCluster): Record<string, unknown> {
  return compact({ ...cluster, keywords: keywords.slice(0, MOST_KEYWORDS) })
}
