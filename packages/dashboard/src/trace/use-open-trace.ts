import { useNavigate } from '@tanstack/react-router'
import type { Tab } from './search.ts'

/** Opens another trace in the same tab. The list stays the page before. */
export function useOpenTrace(tab: Tab): (traceId: string) => Promise<void> {
  const navigate = useNavigate()
  const search = tab === 'steps' ? {} : { tab }
  return (traceId) => navigate({ to: '/app/traces/$traceId', params: { traceId }, search, replace: true })
}
