import { MONITOR_MEASURES } from '@spoor/contract/aggregations'
import { useNavigate } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { filtersOf, withFilter } from '../traces/filters/feed-filters.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { IconButton } from '../ui/button.tsx'
import { measureOf } from './measures.ts'

/** Opens the form of a new monitor of the rows that the query finds. Monitors take no words of a search. */
export function MonitorButton({ search }: { readonly search: FeedSearch }) {
  const navigate = useNavigate()
  if (search.q !== undefined) return null
  return (
    <IconButton
      icon={Bell}
      label="Monitor this"
      variant="plain"
      onClick={() => void navigate({ to: '/app/monitors', search: monitored(search) })}
    />
  )
}

function monitored(search: FeedSearch) {
  const { as, measure: id } = search
  const measure = as === 'chart' ? measureOf(id) : null
  const ofSteps = as === 'steps' || measure?.rows === 'steps'
  const filters = filtersOf(search).reduce(withFilter, {} as FeedSearch)
  const name = MONITOR_MEASURES.find((each) => measure?.id === (ofSteps ? `steps.${each}` : each))
  return {
    create: true as const,
    filters,
    ...(ofSteps ? { steps: true as const } : {}),
    ...(name === undefined ? {} : { measure: name }),
  }
}
