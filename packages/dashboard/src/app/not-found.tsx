import { Link } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'

export function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState title="There is no such page">
        <Link to="/app/traces" className="text-accent underline">
          To the traces
        </Link>
      </EmptyState>
    </>
  )
}
