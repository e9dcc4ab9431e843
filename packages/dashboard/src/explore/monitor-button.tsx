import { useNavigate } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import type { FeedSearch } from '../traces/filters/search.ts'
import { IconButton } from '../ui/button.tsx'
import { useMeasures } from './measures.ts'
import { monitored } from './monitored.ts'

/** Opens the form of a new monitor of what the query shows. */
export function MonitorButton({ search }: { readonly search: FeedSearch }) {
  const navigate = useNavigate()
  const { measure } = useMeasures(search.measure)
  const isChart = search.as === 'chart'
  if (isChart && measure === null) return null
  const shown = monitored(search, isChart ? measure : null)
  return (
    <IconButton
      icon={Bell}
      label="Monitor this"
      variant="plain"
      onClick={() => void navigate({ to: '/app/monitors', search: shown })}
    />
  )
}
