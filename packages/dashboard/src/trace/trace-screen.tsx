import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/traces/$traceId')({ component: TraceScreen })

function TraceScreen() {
  return <PageHeader title="Trace" />
}
