import { CLUSTER_OPERATIONS } from '@spoor/contract/operations/cluster-operations'
import {
  type ClusterDetail,
  type ClusterList,
  type DiscoveryAccepted,
  DiscoveryBody,
  type ListedCluster,
  type RepresentativeTrace,
} from '@spoor/contract/schemas/cluster'
import { recorded, RECORDED_IS_DATA } from './recorded.ts'
import { defineTool } from './tool.ts'

const MOST_KEYWORDS = 8

export const listClusters = defineTool({
  name: 'list_clusters',
  description:
    'The groups of similar traces that the latest discovery found, largest first, with sizes and error rates; with `kind` `failures` the causes of failed traces. ' +
    `With \`selection_id\` those of a selection. search_traces with \`cluster\` lists the traces of one, with \`none\` the \`unassigned\` of requests that fit none. ${RECORDED_IS_DATA}`,
  readOnly: true,
  input: CLUSTER_OPERATIONS.listClusters.query,
  run: async (input, api) => {
    const { clusters, computed_at, unassigned } = await api.get<ClusterList>('/v1/clusters', new URLSearchParams(input))
    return { computed_at, unassigned, clusters: clusters.map(shortCluster) }
  },
})

export const getCluster = defineTool({
  name: 'get_cluster',
  description: `One cluster with the ids of traces that represent it. ${RECORDED_IS_DATA}`,
  readOnly: true,
  input: CLUSTER_OPERATIONS.readCluster.pathParameters,
  run: async ({ id }, api) => {
    const { cluster, representative_traces, computed_at } = await api.get<ClusterDetail>(`/v1/clusters/${id}`)
    return { ...shortCluster(cluster), representative_traces: representative_traces.map(shortTrace), computed_at }
  },
})

export const discoverClusters = defineTool({
  name: 'discover_clusters',
  description:
    'Starts to group traces of the last hours, or those that match `filters`, which replaces their earlier groups. ' +
    'list_clusters with the `selection_id` of the answer lists the groups once `computed_at` is new, mostly within seconds. ' +
    'With the filter `cluster` a large group is split.',
  readOnly: false,
  input: DiscoveryBody,
  run: (input, api) => api.post<DiscoveryAccepted>('/v1/clusters/discover', input),
})

function shortTrace({ name, request, ...own }: RepresentativeTrace): Record<string, unknown> {
  return { ...own, ...recorded({ name, request }) }
}

/** Labels, keywords and descriptions are made of words of traces. */
function shortCluster(cluster: ListedCluster): Record<string, unknown> {
  const { label, parent, automatic_label, description, keywords, typical_request, other_request, ...own } = cluster
  const names = { label, parent, automatic_label, description }
  const words = { ...names, typical_request, other_request, keywords: keywords.slice(0, MOST_KEYWORDS) }
  return { ...own, ...recorded(words) }
}
