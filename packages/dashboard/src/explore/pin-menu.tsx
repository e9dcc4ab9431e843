import type { View } from '@spoor/contract/schemas/view'
import { Pin } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { changeDashboard, dashboardsQuery } from '../api/dashboards.ts'
import { useDashboards, useMayChange } from '../home/use-dashboard.ts'
import { useActions, useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { withTile } from '../lib/tile-layout.ts'
import { groupedBy, statisticOf } from '../metrics/use-series-models.ts'
import { filtersOf, filterValueLabel } from '../traces/filters/feed-filters.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { isChanged, toViewBody } from '../traces/views/view-search.ts'
import { IconButton } from '../ui/button.tsx'
import { MENU_CONTENT, MENU_ITEM, MENU_LABEL } from '../ui/menu-classes.ts'
import { useAction } from '../ui/use-action.ts'
import { groupFieldLabel } from './groups.ts'
import { type Measure, useMeasures } from './measures.ts'

/** Pins what is shown to a dashboard: the open saved `view` by its id if it is unchanged, else a view of its own. */
export function PinMenu({ search, view }: { search: FeedSearch; view: View | undefined }) {
  const [open, setOpen] = useState(false)
  const { dashboards } = useDashboards(undefined)
  const { measure } = useMeasures(search.measure)
  const changeable = dashboards.filter(useMayChange())
  const pinning = useAction(
    ({ id, tiles }: (typeof dashboards)[number]) =>
      changeDashboard(id, { tiles: [...withTile<object>(tiles, tileOf(search, view, measure))] }),
    { refresh: [dashboardsQuery.queryKey], said: ({ name }) => `Pinned to “${name}”` },
  )
  useShortcuts('Trace list', { P: { does: 'Pin to a dashboard', opensMenu: true, run: () => setOpen(true) } })
  useActions(changeable.map((each) => ({ label: `Pin to “${each.name}”`, run: () => pinning.mutate(each) })))
  if (changeable.length === 0) return null
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={setOpen}>
      <DropdownMenu.Trigger asChild>
        <IconButton icon={Pin} label="Pin" keys="P" variant="plain" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={`${MENU_CONTENT} max-w-80`} align="end" sideOffset={4}>
          <DropdownMenu.Label className={MENU_LABEL}>Pin this to a dashboard</DropdownMenu.Label>
          {changeable.map((dashboard) => (
            <DropdownMenu.Item key={dashboard.id} className={MENU_ITEM} onSelect={() => pinning.mutate(dashboard)}>
              <bdi className="truncate">{dashboard.name}</bdi>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function tileOf(search: FeedSearch, view: View | undefined, measure: Measure | null): object {
  if (view !== undefined && !isChanged(search, view)) return { view_id: view.id }
  const { display: _display, query, ...body } = toViewBody(search)
  // The dashboard has one range for all.
  const { start_time: _from, end_time: _to, ...lasting } = query
  return { view: { name: nameOf(search, measure), query: lasting, ...body } }
}

/** "Cost by model: failed" */
function nameOf(search: FeedSearch, measure: Measure | null): string {
  const filters = [...(search.q === undefined ? [] : [search.q]), ...filtersOf(search).map(filterValueLabel)]
  const title =
    search.as === 'chart' && measure !== null ? chartName(search, measure) : search.as === 'steps' ? 'Steps' : 'Traces'
  return [title, filters.join(', ')].filter(Boolean).join(': ').slice(0, 200)
}

function chartName(search: FeedSearch, measure: Measure): string {
  const { label, rows } = measure
  const statistic = statisticOf(measure, search)
  const isSame = statistic.label === label || measure.statistics[0] === statistic
  const fields = groupedBy(measure, search).map((field) => groupFieldLabel(rows, field))
  return `${label}${isSame ? '' : `, ${statistic.label.toLowerCase()}`}${fields.length === 0 ? '' : ` by ${fields.join(' and ')}`}`
}
