import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { clusterNamesQuery } from '../api/clusters.ts'
import { clusterName } from '../clusters/cluster-name.ts'
import { groupLabel } from '../lib/series-data.ts'

/** Prints the keys of groups by these fields. Clusters have their names, those of earlier discoveries their ids. */
export function useGroupLabel(fields: readonly string[]): (key: string) => string {
  const place = fields.indexOf('cluster')
  const { data } = useQuery({ ...clusterNamesQuery, enabled: place !== -1 })
  return useMemo(() => {
    const names = new Map(data?.map((cluster): [string, string] => [cluster.id, clusterName(cluster)]))
    return (key) => groupLabel(key, (value, at) => (at === place ? names.get(value) : undefined))
  }, [data, place])
}
