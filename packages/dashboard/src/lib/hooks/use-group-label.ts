import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { clusterNamesQuery } from '../../api/clusters.ts'
import { groupLabel } from '../series-data.ts'

/** Prints the keys of groups by these fields. Clusters have their names, those without a known one their ids. */
export function useGroupLabel(fields: readonly string[]): (key: string) => string {
  const place = fields.indexOf('cluster')
  const { data } = useQuery({ ...clusterNamesQuery, enabled: place !== -1 })
  return useMemo(() => {
    const names = new Map(data?.map(({ id, label }): [string, string] => [id, label.trim()]))
    return (key) => groupLabel(key, (value, at) => (at === place && names.get(value)) || value)
  }, [data, place])
}
