import { useNavigate } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { useActions } from '../lib/hooks/use-shortcuts.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { IconButton } from '../ui/button.tsx'
import { useMeasures } from './measures.ts'
import { monitored } from './monitored.ts'

const LABEL = 'Monitor this'

/** Opens the form of a new monitor of what the query shows. Monitors take no words of a search. */
export function MonitorButton({ search }: { readonly search: FeedSearch }) {
  const navigate = useNavigate()
  const { measure } = useMeasures(search.measure)
  const shown = monitored(search, search.as === 'chart' ? measure : null)
  const open = () => void navigate({ to: '/app/monitors', search: shown })
  const isOffered = search.q === undefined
  useActions(isOffered ? [{ label: LABEL, run: open }] : [])
  return isOffered ? <IconButton icon={Bell} label={LABEL} variant="plain" onClick={open} /> : null
}
