import { useMemo } from 'react'
import { groupKey } from '../lib/series-data.ts'
import { useGroupLabel } from '../lib/hooks/use-group-label.ts'

/** Prints the groups of `forEach`: a cluster has its name. */
export function useGroupName(forEach: string | null): (group: string) => string {
  const labelOf = useGroupLabel(forEach === null ? [] : [forEach])
  return useMemo(() => (group) => labelOf(groupKey({ group })), [labelOf])
}

export function GroupName({ forEach, group }: { forEach: string | null; group: string }) {
  return <bdi className="truncate">{useGroupName(forEach)(group)}</bdi>
}
