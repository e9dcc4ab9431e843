import { Link } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'

export function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState title="This page does not exist">
        <Link to="/app/traces" className="text-accent underline">
          Go to traces
        </Link>
      </EmptyState>
    </>
  )
}
