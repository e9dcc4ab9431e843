import type { Dashboard, DashboardPatch } from '@spoor/contract/schemas/dashboard'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { changeDashboard, dashboardsQuery, type Tile } from '../api/dashboards.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { useAction } from '../ui/use-action.ts'

/** The dashboards of the project, and the one with this id, else the first. */
export function useDashboards(id: string | undefined) {
  const query = useQuery(dashboardsQuery)
  const { data: dashboards = [] } = query
  return { query, dashboards, dashboard: dashboards.find((each) => each.id === id) ?? dashboards[0] }
}

/** Whether the session may change a dashboard. Who changes the first one becomes its author. */
export function useMayChange(): (dashboard: Dashboard) => boolean {
  const maySave = useMay('ingest', 'manage')
  const mayManage = useMay('manage')
  const { key_id: ownKey } = useSession()
  return ({ created_by: author }) => maySave && (mayManage || author === null || author === ownKey)
}

/** Shows new tiles at once and saves them; changes reach the service in the order of their making. */
export function useSaveTiles({ id }: Pick<Dashboard, 'id'>): (tiles: readonly Tile[]) => void {
  const client = useQueryClient()
  const { queryKey } = dashboardsQuery
  const saved = useRef<Promise<unknown>>(Promise.resolve())
  const refresh = () => client.invalidateQueries({ queryKey })
  const { mutate } = useAction((body: DashboardPatch) => {
    const change = () => changeDashboard(id, body)
    const saving = saved.current.then(change, change)
    saved.current = saving
    // What was shown before it was saved is read again.
    void saving.catch(refresh)
    return saving
  })
  return (tiles) => {
    client.setQueryData(queryKey, (all) => all?.map((each) => (each.id === id ? { ...each, tiles: [...tiles] } : each)))
    mutate({ tiles: [...tiles] })
  }
}
