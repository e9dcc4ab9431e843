import { createLazyRoute } from '@tanstack/react-router'
import { SummaryList } from './summary-list.tsx'

export const route = createLazyRoute('/app/users')({ component: () => <SummaryList of="users" /> })
