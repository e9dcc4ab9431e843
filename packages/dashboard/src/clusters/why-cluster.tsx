import type { ClusterId } from '@spoor/contract/ids'
import type { ListedCluster } from '@spoor/contract/schemas/cluster'
import { useQuery } from '@tanstack/react-query'
import { clusterPatternQuery } from '../api/insight.ts'
import { PatternWords } from '../patterns/patterns-list.tsx'
import { WhyButton } from '../patterns/why-button.tsx'

/** What failed traces of a cluster have that others have not; nothing for one that does not fail more than others. */
export function WhyCluster({ cluster: { id, color, kind } }: { readonly cluster: ListedCluster }) {
  if (color !== 'fail') return null
  const search = { cluster: id as ClusterId, range: 'all' } as const
  return <WhyButton search={search} shortcut={false} allFailed={kind === 'failures'} />
}

/** The clearest of it in one sentence, if there is any. */
export function ClearestPattern({ clusterId }: { readonly clusterId: string }) {
  const { data } = useQuery(clusterPatternQuery(clusterId))
  const what = data?.patterns[0]?.what
  return what === undefined ? null : <PatternWords what={what} />
}
